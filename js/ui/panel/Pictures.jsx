import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { askPicture } from "./line.js";

/** @typedef {import("../items.js").Picture} Picture */

/** So many stay in memory; the others are fetched again. */
const KEPT = 40;
/** @type {Map<string, Promise<string>>} */
const fetched = new Map();

/**
 * The picture as a data URL; empty if it is gone.
 *
 * @param {string} id
 * @returns {Promise<string>}
 */
function fetchPicture(id) {
  let answer = fetched.get(id);
  if (!answer) {
    answer = askPicture(id).then(
      ({ dataUrl }) => (dataUrl?.startsWith("data:image/") ? dataUrl : ""),
      () => {
        // The line broke: whoever draws it next asks again.
        fetched.delete(id);
        return "";
      },
    );
    fetched.set(id, answer);
    const oldest = fetched.keys().next().value;
    if (fetched.size > KEPT && oldest !== undefined) fetched.delete(oldest);
  }
  return answer;
}

/**
 * A small picture that opens larger: of the page, or one that has a name of its own.
 *
 * @param {{picture: Picture, name?: string}} props
 */
export function PictureButton({ picture, name = t(`picture_${picture.reason}`) }) {
  const [source, setSource] = useState(/** @type {string | null} */ (null));
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    let here = true;
    void fetchPicture(picture.id).then((dataUrl) => here && setSource(dataUrl));
    return () => {
      here = false;
    };
  }, [picture.id]);
  if (source === "")
    return (
      <p class="picture-gone">
        <Icon name="image" size={14} /> {t("picture_gone")}
      </p>
    );
  const size = picture.width ? { width: picture.width, height: picture.height } : {};
  return (
    <>
      <button
        type="button"
        class="picture"
        data-picture={picture.id}
        aria-label={t("picture_open", { name })}
        title={name}
        disabled={source === null}
        onClick={() => dialog.current?.showModal()}
      >
        {source ? <img src={source} alt="" {...size} /> : <span class="picture-empty" />}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; the click is on its backdrop */}
      <dialog
        ref={dialog}
        class="picture-dialog"
        aria-label={name}
        onClick={(event) => event.target === dialog.current && dialog.current?.close()}
      >
        <div class="picture-sheet">
          <div class="picture-head">
            <h2>{name}</h2>
            <form method="dialog">
              <button type="submit" class="icon-button small" aria-label={t("close")} title={t("close")}>
                <Icon name="cross" />
              </button>
            </form>
          </div>
          {source && <img src={source} alt={picture.description || name} {...size} />}
          {picture.description && (
            <div class="picture-words">
              <h3>{t("picture_described")}</h3>
              <p>{picture.description}</p>
            </div>
          )}
        </div>
      </dialog>
    </>
  );
}
