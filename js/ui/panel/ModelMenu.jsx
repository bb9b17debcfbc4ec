import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { activateProvider, listProviders } from "./line.js";
import { useDismiss } from "./popover.js";
import { running } from "./state.js";
import { openSettings } from "./tabs.js";

/** @typedef {import("../types.js").ProviderView} ProviderView */

/**
 * The models that are set up, to change between them without leaving the page.
 *
 * @param {{opener: {current: HTMLElement | null}, onClose: () => void}} props
 */
export function ModelMenu({ opener, onClose }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [list, setList] = useState(/** @type {ProviderView[] | null} */ (null));
  const [work, setWork] = useState("");
  const [problem, setProblem] = useState("");
  /** @param {unknown} error */
  const fail = (error) => setProblem(/** @type {Error} */ (error).message || t("went_wrong"));
  useDismiss(box, opener, onClose);
  useEffect(() => {
    let here = true;
    listProviders().then(
      (all) => here && setList(all.filter((view) => view.configured)),
      (error) => here && fail(error),
    );
    return () => {
      here = false;
    };
  }, []);
  useEffect(() => {
    const menu = box.current;
    const first = menu?.querySelector("[aria-current=true]") ?? menu?.querySelector("button");
    /** @type {HTMLElement | null | undefined} */ (first)?.focus();
  }, [list]);

  /** @param {ProviderView} view */
  const choose = async (view) => {
    setWork(view.id);
    setProblem("");
    try {
      if (!view.active) await activateProvider(view.id);
      onClose();
    } catch (error) {
      fail(error);
      setWork("");
    }
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const rows = [...(box.current?.querySelectorAll("button") ?? [])];
    const at = rows.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    rows[(at + step + rows.length) % rows.length]?.focus();
  };

  return (
    <section
      ref={box}
      id="model-menu"
      class="popover model-menu"
      role="dialog"
      aria-label={t("models_set_up")}
      onKeyDown={onKeyDown}
    >
      {!list && !problem && <Spinner />}
      {list && (
        <ul>
          {list.map((view) => (
            <li key={view.id}>
              <button
                type="button"
                class="menu-row"
                data-model={view.id}
                aria-current={view.active}
                aria-busy={work === view.id}
                disabled={work !== ""}
                onClick={() => choose(view)}
              >
                <span class="menu-tick">{view.active && <Icon name="check" size={14} />}</span>
                <span class="menu-words">
                  <span class="menu-main">{view.model || view.label}</span>
                  {view.model && <span class="menu-sub">{view.label}</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      {running.value && <p class="menu-note">{t("model_kept")}</p>}
      <button
        type="button"
        class="menu-row menu-more"
        data-action="more-models"
        onClick={() => {
          onClose();
          void openSettings("providers");
        }}
      >
        <span class="menu-tick">
          <Icon name="settings" size={14} />
        </span>
        <span class="menu-words">{t("model_add")}</span>
      </button>
    </section>
  );
}
