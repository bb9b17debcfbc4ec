import { useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { BuiltIn } from "./BuiltIn.jsx";
import { Field, missing } from "./Field.jsx";
import { Failed, Passed } from "./Result.jsx";
import { activateProvider, listModels, removeProvider, saveProvider, testProvider } from "./store.js";

/**
 * @typedef {import("../types.js").ProviderView} ProviderView
 * @typedef {import("../types.js").TestResult} TestResult
 * @typedef {"test" | "save" | "use" | "remove" | "models" | ""} Work
 */

/** Fields that have a good automatic value, shown on demand. */
const ADVANCED = new Set([
  "promptTier",
  "constrained",
  "contextWindow",
  "visionMode",
  "supportsAskStreaming",
  "reasoningEffort",
  "apiFormat",
  "systemPromptRole",
  "maxTokensField",
  "priceInput",
  "priceOutput",
  "priceCached",
  "extraBody",
]);

/**
 * What was typed and not saved, by service: folding a form must not throw away a key that was just pasted. It is
 * gone with the page.
 *
 * @type {Map<string, Record<string, any>>}
 */
const unsaved = new Map();

/**
 * @param {{view: ProviderView}} props
 */
export function ProviderForm({ view }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const [config, setConfig] = useState(() => unsaved.get(view.id) ?? { ...view.values });
  const [dirty, setDirty] = useState(unsaved.has(view.id));
  const [work, setWork] = useState(/** @type {Work} */ (""));
  const [checked, setChecked] = useState(false);
  const [result, setResult] = useState(/** @type {TestResult | null} */ (null));
  const [note, setNote] = useState({ kind: "", text: "" });
  const [models, setModels] = useState(/** @type {string[]} */ ([]));
  const [facts, setFacts] = useState(/** @type {Record<string, import("../types.js").ModelFacts>} */ ({}));
  /** What is wrong at a field, told there. */
  const [fault, setFault] = useState({ field: "", text: "" });
  const [removing, setRemoving] = useState(false);
  /** A model of the browser itself may have to be downloaded first. */
  const [there, setThere] = useState(!view.builtIn);

  /** @param {Record<string, any>} entered */
  const enter = (entered) => {
    unsaved.set(view.id, entered);
    setConfig(entered);
    setDirty(true);
  };

  /**
   * @param {string} key
   * @param {any} value
   */
  const change = (key, value) => {
    enter({ ...config, [key]: value });
    setResult(null);
    setNote({ kind: "", text: "" });
    setFault({ field: "", text: "" });
  };

  /**
   * Tell a fault at its field, if the form has that.
   *
   * @param {string | undefined} field
   * @param {string} text
   * @returns {boolean}
   */
  const tellAt = (field, text) => {
    if (!field || !view.fields.some((known) => known.key === field)) return false;
    setFault({ field, text });
    const control = /** @type {HTMLElement | null | undefined} */ (
      form.current?.querySelector(`[data-field="${field}"]`)
    );
    const folded = control?.closest("details");
    if (folded) folded.open = true;
    control?.focus();
    return true;
  };

  /**
   * Take over the address at which the service was found, if that is not the one entered.
   *
   * @param {{baseUrl?: string, moved?: boolean}} answer
   */
  const moveTo = ({ baseUrl, moved }) => {
    if (!moved || !baseUrl) return;
    enter({ ...(unsaved.get(view.id) ?? config), baseUrl });
  };

  /** @returns {boolean} whether all that is needed is there; if not, the first gap gets the focus */
  const complete = () => {
    setChecked(true);
    const gap = view.fields.find((field) => missing(field, config));
    if (!gap) return true;
    /** @type {HTMLElement | null | undefined} */ (
      form.current?.querySelector(`[data-field="${gap.key}"]`)
    )?.focus();
    return false;
  };

  /**
   * @param {Work} name
   * @param {() => Promise<void>} job
   */
  const run = async (name, job) => {
    setWork(name);
    setNote({ kind: "", text: "" });
    setFault({ field: "", text: "" });
    try {
      await job();
    } catch (error) {
      const { message, data } = /** @type {import("../port.js").PortError} */ (error);
      if (!tellAt(data?.field, message)) setNote({ kind: "bad", text: message || t("went_wrong") });
    }
    setWork("");
  };

  const save = async () => {
    await saveProvider(view.id, config);
    // A stored key never comes back to this page, and neither does it stay here.
    const secrets = view.fields.filter((field) => field.kind === "secret");
    setConfig({ ...config, ...Object.fromEntries(secrets.map((field) => [field.key, ""])) });
    unsaved.delete(view.id);
    setDirty(false);
  };

  const onTest = () =>
    complete() &&
    run("test", async () => {
      setResult(null);
      const answer = await testProvider(view.id, config);
      const { code = "", message = "", field } = answer.error ?? {};
      // A value that was refused before anything was sent has all its words at the field.
      if (tellAt(field, message) && code === "invalid_field") return;
      setResult(answer);
      moveTo(answer);
    });
  const onSave = () =>
    complete() &&
    run("save", async () => {
      await save();
      setNote({ kind: "ok", text: t("saved") });
    });
  const onUse = () =>
    complete() &&
    run("use", async () => {
      if (dirty || !view.configured) await save();
      await activateProvider(view.id);
      setNote({ kind: "ok", text: t("now_in_use", { name: view.label }) });
    });
  const onModels = () =>
    run("models", async () => {
      const answer = await listModels(view.id, config);
      setModels(answer.models ?? []);
      setFacts(answer.facts ?? {});
      moveTo(answer);
      if (answer.moved) setNote({ kind: "ok", text: t("address_moved", { url: answer.baseUrl ?? "" }) });
      if (answer.error && tellAt(answer.error.field, answer.error.message)) {
        if (answer.error.hint) setNote({ kind: "bad", text: answer.error.hint });
      } else if (!answer.ok) setNote({ kind: "bad", text: answer.error?.message ?? t("no_models") });
      else if (!answer.models?.length) setNote({ kind: "bad", text: t("no_models") });
    });

  const usable = view.active && !dirty;
  const advanced = view.fields.filter((field) => ADVANCED.has(field.key));
  const draw = (/** @type {import("../types.js").ProviderField} */ field) => (
    <Field
      key={field.key}
      field={field}
      view={view}
      value={field.kind === "secret" ? config[field.key] : (config[field.key] ?? "")}
      wrong={fault.field === field.key ? fault.text : checked && missing(field, config) ? t("fill_in") : ""}
      models={field.key === "model" ? models : undefined}
      facts={facts}
      loadingModels={work === "models"}
      onModels={onModels}
      onChange={(value) => change(field.key, value)}
    />
  );
  return (
    <form
      ref={form}
      id={`form-${view.id}`}
      class="provider-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void (view.active ? onSave() : onUse());
      }}
    >
      {view.notes && <p class="notes">{view.notes}</p>}
      {view.builtIn && <BuiltIn onState={setThere} />}
      <div class="fields">{view.fields.filter((field) => !ADVANCED.has(field.key)).map(draw)}</div>
      {advanced.length > 0 && (
        <details class="advanced">
          <summary>{t("advanced")}</summary>
          <div class="fields">{advanced.map(draw)}</div>
        </details>
      )}
      {result && !result.ok && <Failed result={result} />}
      {result?.ok && (
        <Passed
          result={result}
          good={Boolean(result.calledTool) && result.readPicture !== false}
          says={[
            t(result.calledTool ? "test_tool" : "test_no_tool"),
            result.readPicture ? t("test_picture") : "",
            result.moved ? t("address_moved", { url: result.baseUrl ?? "" }) : "",
          ]
            .filter(Boolean)
            .join(" ")}
        />
      )}
      {note.text && (
        <p class={`result result-${note.kind}`} role={note.kind === "bad" ? "alert" : "status"}>
          <Icon name={note.kind === "ok" ? "check" : "alert"} />
          <span>{note.text}</span>
        </p>
      )}
      <div class="button-row form-buttons">
        {!usable && (
          <button type="submit" class="button primary" data-action="use" disabled={work !== "" || !there}>
            {(work === "use" || (view.active && work === "save")) && <Spinner />}
            {view.active ? t("save") : dirty || !view.configured ? t("save_and_use") : t("use_this")}
          </button>
        )}
        {!view.active && dirty && (
          <button type="button" class="button" data-action="save" disabled={work !== ""} onClick={onSave}>
            {work === "save" && <Spinner />}
            {t("save")}
          </button>
        )}
        <button
          type="button"
          class="button"
          data-action="test"
          disabled={work !== "" || !there}
          onClick={onTest}
        >
          {work === "test" && <Spinner />}
          {work === "test" ? t("testing") : t("test")}
        </button>
        {view.configured && !removing && (
          <button type="button" class="button quiet" data-action="remove" onClick={() => setRemoving(true)}>
            {t("remove")}
          </button>
        )}
        {removing && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset does not lay out in a row of buttons
          <span class="remove-ask" role="group" aria-label={t("remove_ask")}>
            <span>{t("remove_ask")}</span>
            <button
              type="button"
              class="button danger"
              data-action="remove-yes"
              disabled={work !== ""}
              onClick={() =>
                run("remove", async () => {
                  unsaved.delete(view.id);
                  await removeProvider(view.id);
                  setRemoving(false);
                })
              }
            >
              {t("remove")}
            </button>
            <button type="button" class="button" onClick={() => setRemoving(false)}>
              {t("cancel")}
            </button>
          </span>
        )}
      </div>
    </form>
  );
}
