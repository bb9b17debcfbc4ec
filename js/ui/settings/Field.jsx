import { useState } from "preact/hooks";
import { t, tOr } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";

/**
 * @typedef {import("../types.js").ProviderField} ProviderField
 * @typedef {import("../types.js").ProviderView} ProviderView
 */

/**
 * Whether a needed field is empty. A stored key counts as filled in, though the page never gets to see it.
 *
 * @param {ProviderField} field
 * @param {Record<string, any>} config
 * @param {ProviderView} view
 * @returns {boolean}
 */
export function missing(field, config, view) {
  if (!field.required || (field.kind === "secret" && view.hasKey)) return false;
  return String(config[field.key] ?? "").trim() === "";
}

/**
 * One field of a provider's form.
 *
 * @param {{field: ProviderField, view: ProviderView, value: any, wrong: boolean, models?: string[],
 *   loadingModels: boolean, onModels: () => void, onChange: (value: any) => void}} props
 */
export function Field({ field, view, value, wrong, models, loadingModels, onModels, onChange }) {
  const id = `${view.id}-${field.key}`;
  const label = tOr(`field_${field.key}`, field.label);
  const help = field.help ? tOr(`help_${field.key}`, field.help) : "";
  const secret = field.kind === "secret";
  const described = [help && `${id}-help`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || undefined;
  const common = {
    id,
    "data-field": field.key,
    "aria-describedby": described,
    "aria-invalid": wrong || undefined,
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
        <Secret common={common} view={view} field={field} value={value} onChange={onChange} />
      ) : (
        <input
          {...common}
          type={field.kind === "number" ? "number" : field.kind === "url" ? "url" : "text"}
          inputMode={field.kind === "number" ? "numeric" : undefined}
          list={models?.length ? `${id}-list` : undefined}
          value={value}
          placeholder={field.placeholder}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => {
            const text = event.currentTarget.value;
            onChange(field.kind === "number" && text !== "" ? Number(text) : text);
          }}
        />
      )}
      {models && models.length > 0 && (
        <>
          <datalist id={`${id}-list`}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
          <Models models={models} value={String(value)} onChange={onChange} />
        </>
      )}
      {wrong && (
        <p class="field-error" id={`${id}-wrong`}>
          {t("fill_in")}
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

/** More than this are found by typing. */
const LISTED_MODELS = 8;

/**
 * The models a server named, to choose by a click.
 *
 * @param {{models: string[], value: string, onChange: (value: string) => void}} props
 */
function Models({ models, value, onChange }) {
  const found = models.filter((model) => model.toLowerCase().includes(value.toLowerCase()));
  const shown = (found.length && !models.includes(value) ? found : models).slice(0, LISTED_MODELS);
  return (
    <ul class="models" aria-label={t("models_found")}>
      {shown.map((model) => (
        <li key={model}>
          <button type="button" aria-pressed={model === value} onClick={() => onChange(model)}>
            {model}
          </button>
        </li>
      ))}
      {models.length > shown.length && (
        <li class="models-more">{t("models_more", { count: models.length })}</li>
      )}
    </ul>
  );
}

/**
 * @param {{common: any, view: ProviderView, field: ProviderField, value: string, onChange: (value: string) => void}} props
 */
function Secret({ common, view, field, value, onChange }) {
  const [shown, setShown] = useState(false);
  return (
    <div class="secret">
      <input
        {...common}
        type={shown ? "text" : "password"}
        value={value}
        placeholder={view.hasKey ? t("key_kept") : field.placeholder}
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
        title={t("show_key")}
        onClick={() => setShown(!shown)}
      >
        <Icon name={shown ? "eyeOff" : "eye"} />
      </button>
    </div>
  );
}
