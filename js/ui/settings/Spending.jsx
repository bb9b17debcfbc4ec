import { useEffect, useState } from "preact/hooks";
import { money } from "../format.js";
import { language, t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { loadSpending, resetSpending, spending } from "./store.js";

/** What was spent so far, and the button that begins at zero again. */
export function Spending() {
  const [state, setState] = useState({ kind: "", text: "" });
  useEffect(() => void loadSpending(), []);
  const spent = spending.value;
  if (!spent) return null;
  const since = spent.since && new Date(spent.since).toLocaleDateString(language.value);
  const reset = async () => {
    try {
      await resetSpending();
      setState({ kind: "ok", text: t("spent_reset") });
    } catch (error) {
      setState({ kind: "bad", text: /** @type {Error} */ (error).message || t("went_wrong") });
    }
  };
  return (
    <div class="setting setting-spending" id="spending">
      <div class="setting-text">
        <div class="setting-head">
          <p class="setting-title">{t("spent")}</p>
          <p class={`setting-state ${state.kind}`} role={state.kind === "bad" ? "alert" : "status"}>
            {state.text && (
              <>
                <Icon name={state.kind === "ok" ? "check" : "alert"} size={12} /> {state.text}
              </>
            )}
          </p>
        </div>
        <p class="help">
          {t("spent_session", { cost: money(spent.sessionUsd) })}
          {" · "}
          {since
            ? t("spent_since", { cost: money(spent.totalUsd), date: since })
            : t("spent_total", { cost: money(spent.totalUsd) })}
        </p>
      </div>
      <div class="setting-control">
        <button type="button" class="button" data-action="reset-spending" onClick={reset}>
          {t("reset_spent")}
        </button>
      </div>
    </div>
  );
}
