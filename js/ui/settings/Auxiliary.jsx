import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { Failed, Passed } from "./Result.jsx";
import { providers } from "./store.js";

/**
 * @typedef {import("../types.js").ProviderView} ProviderView
 * @typedef {import("../types.js").TestResult} TestResult
 * @typedef {import("../types.js").AuxiliaryView} AuxiliaryView
 */

/**
 * The form of a service that helps with one thing: who it is, which of its models, a real test.
 *
 * @param {{
 *   name: string,
 *   stored: AuxiliaryView | null,
 *   texts: {title: string, help: string, passed: string},
 *   able: (view: ProviderView) => boolean,
 *   usual: (view: ProviderView) => string,
 *   modelHelp: (view: ProviderView) => string,
 *   auto?: string,
 *   choose: (provider: string, model: string) => Promise<void>,
 *   test: (provider: string, model: string) => Promise<TestResult>,
 * }} props `name` begins the ids of its controls; `able` says which services can help at all, `usual` is the model
 *   taken if none is named, `auto` the label of a choice that leaves the service open
 */
export function Auxiliary({ name, stored, texts, able, usual, modelHelp, auto, choose, test }) {
  const list = (providers.value ?? []).filter((view) => view.configured && able(view));
  const [provider, setProvider] = useState(stored?.provider ?? "");
  const [model, setModel] = useState(stored?.model ?? "");
  const [work, setWork] = useState("");
  const [result, setResult] = useState(/** @type {TestResult | null} */ (null));
  const [note, setNote] = useState({ kind: "", text: "" });
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    setProvider(stored?.provider ?? "");
    setModel(stored?.model ?? "");
  }, [stored]);
  const chosen = list.find((view) => view.id === provider);
  const open = Boolean(auto) && provider === "auto";
  const dirty = provider !== (stored?.provider ?? "") || model !== (stored?.model ?? "");
  const gone = Boolean(stored?.provider && !stored.usable && provider === stored.provider);

  const changed = () => {
    setResult(null);
    setWrong("");
    setNote({ kind: "", text: "" });
  };
  /**
   * @param {"test" | "save"} job
   * @param {() => Promise<void>} act
   */
  const run = async (job, act) => {
    setWork(job);
    changed();
    try {
      await act();
    } catch (error) {
      const { message, data } = /** @type {import("../port.js").PortError} */ (error);
      if (data?.field === "model") setWrong(message);
      else setNote({ kind: "bad", text: message || t("went_wrong") });
    }
    setWork("");
  };
  const onSave = () =>
    run("save", async () => {
      await choose(provider, model.trim());
      setNote({ kind: "ok", text: t("saved") });
    });
  const onTest = () =>
    run("test", async () => {
      const answer = await test(provider, model.trim());
      if (answer.error?.field === "model" && answer.error.code === "invalid_field")
        setWrong(answer.error.message);
      else setResult(answer);
    });
  const field = `${name}-name`;

  return (
    <form
      class="auxiliary-form"
      aria-labelledby={`${name}-title`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSave();
      }}
    >
      <h3 id={`${name}-title`}>{texts.title}</h3>
      <p class="help">{texts.help}</p>
      <div class="fields">
        <div class="field field-select">
          <div class="field-head">
            <label for={`${name}-provider`}>{t("auxiliary_provider")}</label>
          </div>
          <select
            id={`${name}-provider`}
            value={provider}
            onChange={(event) => {
              setProvider(event.currentTarget.value);
              setModel("");
              changed();
            }}
          >
            <option value="">{t("auxiliary_none")}</option>
            {auto && (list.length > 0 || open) && <option value="auto">{auto}</option>}
            {gone && !open && <option value={provider}>{provider}</option>}
            {list.map((view) => (
              <option key={view.id} value={view.id}>
                {view.label}
              </option>
            ))}
          </select>
          {list.length === 0 && providers.value && (
            <p class="help">
              <a href="#providers">{t("auxiliary_no_provider")}</a>
            </p>
          )}
          {gone && <p class="field-error">{t("auxiliary_gone")}</p>}
        </div>
        {chosen && (
          <div class="field field-text">
            <div class="field-head">
              <label for={field}>{t("auxiliary_name")}</label>
            </div>
            <input
              id={field}
              type="text"
              value={model}
              placeholder={usual(chosen)}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              aria-describedby={wrong ? `${field}-wrong ${field}-help` : `${field}-help`}
              aria-invalid={Boolean(wrong) || undefined}
              onInput={(event) => {
                setModel(event.currentTarget.value);
                changed();
              }}
            />
            {wrong && (
              <p class="field-error" id={`${field}-wrong`} role="alert">
                {wrong}
              </p>
            )}
            <p class="help" id={`${field}-help`}>
              {modelHelp(chosen)}
            </p>
          </div>
        )}
      </div>
      {result && !result.ok && <Failed result={result} />}
      {result?.ok && <Passed result={result} good says={texts.passed} />}
      {note.text && (
        <p class={`result result-${note.kind}`} role={note.kind === "bad" ? "alert" : "status"}>
          <Icon name={note.kind === "ok" ? "check" : "alert"} />
          <span>{note.text}</span>
        </p>
      )}
      <div class="button-row form-buttons">
        {dirty && (
          <button type="submit" class="button primary" data-action={`${name}-save`} disabled={work !== ""}>
            {work === "save" && <Spinner />}
            {t("save")}
          </button>
        )}
        {(chosen || open) && (
          <button
            type="button"
            class="button"
            data-action={`${name}-test`}
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
