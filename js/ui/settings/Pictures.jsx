import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { Failed, Passed } from "./Result.jsx";
import { SettingGroups } from "./Setting.jsx";
import { chooseVision, providers, testVision, vision } from "./store.js";

/** @typedef {import("../types.js").TestResult} TestResult */

export function Pictures() {
  return (
    <section aria-labelledby="pictures-title">
      <h2 id="pictures-title">{t("pictures")}</h2>
      <p class="lead">{t("pictures_lead")}</p>
      <VisionModel />
      <SettingGroups shows={(name) => name === "pictures"} />
    </section>
  );
}

/** The service that looks at pictures for models that cannot. */
function VisionModel() {
  const stored = vision.value;
  const list = (providers.value ?? []).filter((view) => view.configured);
  const [provider, setProvider] = useState(stored?.provider ?? "");
  const [model, setModel] = useState(stored?.model ?? "");
  const [work, setWork] = useState("");
  const [result, setResult] = useState(/** @type {TestResult | null} */ (null));
  const [note, setNote] = useState({ kind: "", text: "" });
  useEffect(() => {
    setProvider(stored?.provider ?? "");
    setModel(stored?.model ?? "");
  }, [stored]);
  const chosen = list.find((view) => view.id === provider);
  const dirty = provider !== (stored?.provider ?? "") || model !== (stored?.model ?? "");
  const gone = Boolean(stored?.provider && !stored.usable && provider === stored.provider);

  const changed = () => {
    setResult(null);
    setNote({ kind: "", text: "" });
  };
  /**
   * @param {"test" | "save"} name
   * @param {() => Promise<void>} job
   */
  const run = async (name, job) => {
    setWork(name);
    changed();
    try {
      await job();
    } catch (error) {
      setNote({ kind: "bad", text: /** @type {Error} */ (error).message || t("went_wrong") });
    }
    setWork("");
  };
  const onSave = () =>
    run("save", async () => {
      await chooseVision(provider, model.trim());
      setNote({ kind: "ok", text: t("saved") });
    });
  const onTest = () =>
    run("test", async () => {
      setResult(await testVision(provider, model.trim()));
    });

  return (
    <form
      class="vision-form"
      aria-labelledby="vision-title"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSave();
      }}
    >
      <h3 id="vision-title">{t("vision_model")}</h3>
      <p class="help">{t("vision_help")}</p>
      <div class="fields">
        <div class="field field-select">
          <div class="field-head">
            <label for="vision-provider">{t("vision_provider")}</label>
          </div>
          <select
            id="vision-provider"
            value={provider}
            onChange={(event) => {
              setProvider(event.currentTarget.value);
              setModel("");
              changed();
            }}
          >
            <option value="">{t("vision_none")}</option>
            {gone && <option value={provider}>{provider}</option>}
            {list.map((view) => (
              <option key={view.id} value={view.id}>
                {view.label}
              </option>
            ))}
          </select>
          {list.length === 0 && providers.value && (
            <p class="help">
              <a href="#providers">{t("vision_no_provider")}</a>
            </p>
          )}
          {gone && <p class="field-error">{t("vision_gone")}</p>}
        </div>
        {chosen && (
          <div class="field field-text">
            <div class="field-head">
              <label for="vision-name">{t("vision_name")}</label>
            </div>
            <input
              id="vision-name"
              type="text"
              value={model}
              placeholder={chosen.model}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              aria-describedby="vision-name-help"
              onInput={(event) => {
                setModel(event.currentTarget.value);
                changed();
              }}
            />
            <p class="help" id="vision-name-help">
              {t("vision_name_help", { name: chosen.label })}
            </p>
          </div>
        )}
      </div>
      {result && !result.ok && <Failed result={result} />}
      {result?.ok && <Passed result={result} good says={t("vision_read")} />}
      {note.text && (
        <p class={`result result-${note.kind}`} role={note.kind === "bad" ? "alert" : "status"}>
          <Icon name={note.kind === "ok" ? "check" : "alert"} />
          <span>{note.text}</span>
        </p>
      )}
      <div class="button-row form-buttons">
        {dirty && (
          <button type="submit" class="button primary" data-action="vision-save" disabled={work !== ""}>
            {work === "save" && <Spinner />}
            {t("save")}
          </button>
        )}
        {chosen && (
          <button
            type="button"
            class="button"
            data-action="vision-test"
            disabled={work !== ""}
            onClick={onTest}
          >
            {work === "test" && <Spinner />}
            {work === "test" ? t("testing") : t("test")}
          </button>
        )}
      </div>
    </form>
  );
}
