import { useState } from "preact/hooks";
import { t, tOr } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { fields, setSetting, values } from "./store.js";

/** @typedef {import("../types.js").SettingField} SettingField */

/**
 * The settings Python names, in groups, those whose group is to be shown here. `after` is what else belongs to a
 * group.
 *
 * @param {{shows: (group: string) => boolean, after?: Record<string, any>}} props
 */
export function SettingGroups({ shows, after = {} }) {
  const list = fields.value;
  if (!list)
    return (
      <div class="loading" role="status">
        <span class="visually-hidden">{t("loading")}</span>
        <span class="loading-row" />
        <span class="loading-row" />
      </div>
    );
  const groups = [...new Set(list.map((field) => field.section))].filter(shows);
  return (
    <>
      {groups.map((name) => (
        <fieldset key={name} class="setting-group">
          <legend>{t(`section_${name}`)}</legend>
          {list
            .filter((field) => field.section === name)
            .map((field) => (
              <Setting key={field.key} field={field} />
            ))}
          {after[name]}
        </fieldset>
      ))}
    </>
  );
}

/**
 * One setting, stored when it changes.
 *
 * @param {{field: SettingField}} props
 */
function Setting({ field }) {
  const [state, setState] = useState({ kind: "", text: "" });
  const id = `setting-${field.key}`;
  const label = tOr(`setting_${field.key}`, field.label);
  const help = tOr(`setting_${field.key}_help`, field.help ?? "");
  const value = values.value[field.key] ?? field.default;
  /** @param {any} next */
  const change = async (next) => {
    try {
      await setSetting(field.key, next);
      setState({ kind: "ok", text: t("saved") });
    } catch (error) {
      setState({ kind: "bad", text: /** @type {Error} */ (error).message || t("went_wrong") });
    }
  };
  return (
    <div class={`setting setting-${field.kind}`} data-setting={field.key}>
      <div class="setting-text">
        <div class="setting-head">
          <label for={id}>{label}</label>
          <p class={`setting-state ${state.kind}`} role={state.kind === "bad" ? "alert" : "status"}>
            {state.text && (
              <>
                <Icon name={state.kind === "ok" ? "check" : "alert"} size={12} /> {state.text}
              </>
            )}
          </p>
        </div>
        {help && (
          <p class="help" id={`${id}-help`}>
            {help}
          </p>
        )}
      </div>
      <div class="setting-control">
        <Control
          id={id}
          field={field}
          value={value}
          described={help ? `${id}-help` : undefined}
          onChange={change}
        />
      </div>
    </div>
  );
}

/**
 * @param {{id: string, field: SettingField, value: any, described: string | undefined,
 *   onChange: (value: any) => void}} props
 */
function Control({ id, field, value, described, onChange }) {
  switch (field.kind) {
    case "bool":
      return (
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells its own state
          role="switch"
          class="switch"
          id={id}
          aria-describedby={described}
          checked={Boolean(value)}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case "enum":
      return (
        <select
          id={id}
          aria-describedby={described}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {(field.options ?? []).map((option) => (
            <option key={option.value} value={option.value}>
              {tOr(`option_${field.key}_${option.value}`, option.label)}
            </option>
          ))}
        </select>
      );
    case "int":
    case "money":
      return (
        <input
          type="number"
          id={id}
          aria-describedby={described}
          min={field.min}
          max={field.max}
          step={field.kind === "int" ? 1 : "any"}
          value={value}
          onChange={(event) => {
            const entered = event.currentTarget.valueAsNumber;
            if (Number.isNaN(entered)) {
              // Nothing, or no number: what holds stands there again.
              event.currentTarget.value = String(value);
              return;
            }
            const number = field.kind === "int" ? Math.round(entered) : entered;
            onChange(Math.min(field.max ?? number, Math.max(field.min ?? number, number)));
          }}
        />
      );
    default:
      return (
        <input
          type="text"
          id={id}
          aria-describedby={described}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
