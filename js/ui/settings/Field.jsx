import { useState } from "preact/hooks";
import { t, tOr } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { Facts } from "../shared/Servers.jsx";

/**
 * @typedef {import("../types.js").ProviderField} ProviderField
 * @typedef {import("../types.js").ProviderView} ProviderView
 */

/**
 * Whether a needed field is empty. A stored secret counts as filled in, though the page never gets to see it.
 *
 * @param {ProviderField} field
 * @param {Record<string, any>} config
 * @returns {boolean}
 */
export function missing(field, config) {
  if (!field.required) return false;
  if (field.kind === "secret" && field.stored && config[field.key] !== null) return false;
  return String(config[field.key] ?? "").trim() === "";
}

/**
 * One field of a provider's form.
 *
 * @param {{field: ProviderField, view: ProviderView, value: any, wrong: string, models?: string[],
 *   facts: Record<string, import("../types.js").ModelFacts>, loadingModels: boolean, onModels: () => void,
 *   onChange: (value: any) => void}} props `wrong` says what is wrong with the value; empty for nothing
 */
export function Field({ field, view, value, wrong, models, facts, loadingModels, onModels, onChange }) {
  const id = `${view.id}-${field.key}`;
  const label = tOr(`field_${field.key}`, field.label);
  const help = field.help ? tOr(`help_${field.key}`, field.help) : "";
  const secret = field.kind === "secret";
  const described = [help && `${id}-help`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || undefined;
  const common = {
    id,
    "data-field": field.key,
    "aria-describedby": described,
    "aria-invalid": Boolean(wrong) || undefined,
    "aria-required": field.required || undefined,
  };
  return (
    <div class={`field field-${field.kind}`}>
      <div class="field-head">
        <label for={id}>
          {label}
          {secret && !field.required && <span class="optional"> {t("optional")}</span>}
        </label>
        {secret && view.keyUrl && (
          <a href={view.keyUrl} target="_blank" rel="noopener noreferrer">
            {t("get_key")} <Icon name="external" size={12} />
          </a>
        )}
        {models && (
          <button
            type="button"
            class="link-button"
            data-action="models"
            disabled={loadingModels}
            onClick={onModels}
          >
            {loadingModels && <Spinner />}
            {t("list_models")}
          </button>
        )}
      </div>
      {field.kind === "select" ? (
        <select {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {(field.options ?? []).map((option) => {
            const { value: v, label: l } =
              typeof option === "string" ? { value: option, label: option } : option;
            return (
              <option key={v} value={v}>
                {tOr(`choice_${field.key}_${v}`, l)}
              </option>
            );
          })}
        </select>
      ) : secret ? (
        <Secret common={common} field={field} value={value} onChange={onChange} />
      ) : (
        <input
          {...common}
          // Fields for numbers or addresses alone give nothing back for what is none, so that nobody could be told.
          type="text"
          inputMode={field.kind === "number" ? "decimal" : field.kind === "url" ? "url" : undefined}
          value={value}
          placeholder={field.placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {models && models.length > 0 && (
        <>
          <Models models={models} facts={facts} value={String(value)} onChange={onChange} />
          {facts[String(value)] && <Facts facts={facts[String(value)]} />}
        </>
      )}
      {wrong && (
        <p class="field-error" id={`${id}-wrong`} role="alert">
          {wrong}
        </p>
      )}
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
    </div>
  );
}

/** More than this are found by filtering. */
const LISTED_MODELS = 12;

/**
 * The models a server named, to choose by a click.
 *
 * @param {{models: string[], facts: Record<string, import("../types.js").ModelFacts>, value: string,
 *   onChange: (value: string) => void}} props
 */
function Models({ models, facts, value, onChange }) {
  const [filter, setFilter] = useState("");
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter((model) => words.every((word) => model.toLowerCase().includes(word)));
  const shown = found.slice(0, LISTED_MODELS);
  return (
    <div class="models">
      {models.length > LISTED_MODELS && (
        <input
          type="search"
          data-filter="models"
          aria-label={t("filter_models")}
          placeholder={t("filter_models")}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Enter in a field sends the form; here it would save before a model is chosen.
            if (event.key === "Enter") event.preventDefault();
          }}
        />
      )}
      <ul aria-label={t("models_found")}>
        {shown.map((model) => (
          <li key={model}>
            <button type="button" aria-pressed={model === value} onClick={() => onChange(model)}>
              {model}
              {facts[model]?.supportsVision && (
                <span class="model-eyes">
                  <Icon name="eye" size={12} />
                  <span class="visually-hidden"> {t("reads_pictures")}</span>
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <p class="models-more" role="status">
        {found.length > shown.length || words.length > 0
          ? t("models_shown", { shown: shown.length, count: found.length })
          : ""}
      </p>
    </div>
  );
}

/**
 * A key or token. What is stored never comes back to this page, so it can be replaced or removed but not shown;
 * `null` stands for its removal.
 *
 * @param {{common: any, field: ProviderField, value: string | null, onChange: (value: string | null) => void}} props
 */
function Secret({ common, field, value, onChange }) {
  const [shown, setShown] = useState(false);
  const going = value === null;
  const typed = value ?? "";
  return (
    <>
      <div class="secret">
        <input
          {...common}
          type={shown ? "text" : "password"}
          value={typed}
          placeholder={going ? t("key_clears") : field.stored ? t("key_kept") : field.placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <button
          type="button"
          class="icon-button small"
          aria-pressed={shown}
          aria-label={t("show_key")}
          title={t(shown ? "hide_key" : "show_key")}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? "eyeOff" : "eye"} />
        </button>
      </div>
      {(typed !== "" || going || (field.stored && !field.required)) && (
        <button
          type="button"
          class="link-button clear-secret"
          data-clear={field.key}
          onClick={() => onChange(typed !== "" || going ? "" : null)}
        >
          {t(going ? "undo" : "clear_key")}
        </button>
      )}
    </>
  );
}
