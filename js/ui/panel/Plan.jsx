import { useEffect, useRef, useState } from "preact/hooks";
import { elapsed } from "../format.js";
import { t, tn } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { Markdown } from "../shared/Markdown.jsx";
import { useGuard } from "./consent.js";
import { line } from "./line.js";
import { PlanSteps } from "./PlanSteps.jsx";
import { answerPlan } from "./store.js";
import { isTyping, useNow } from "./waiting.js";

/** @typedef {import("../items.js").PlanItem} PlanItem */

/** As py/webbrain/agent/planner_text.py bounds them. */
const TEXT_CHARS = 7_500;
const SUMMARY_CHARS = 400;

/**
 * A plan that waits for a person, and what became of it. Nothing is done before it is answered; after ten minutes
 * it counts as refused.
 *
 * @param {{item: PlanItem}} props
 */
export function Plan({ item }) {
  return item.decision === "" ? <Review item={item} /> : <Settled item={item} />;
}

/** @param {{item: PlanItem}} props */
function Review({ item }) {
  const { plan } = item;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const guard = useGuard(item.id);
  const [editing, setEditing] = useState(/** @type {"" | "steps" | "text"} */ (""));
  const [summary, setSummary] = useState(plan.summary);
  const [steps, setSteps] = useState(() => plan.steps.map((text, id) => ({ id, text })));
  const [text, setText] = useState(plan.markdown);
  const [sent, setSent] = useState("");
  const [problem, setProblem] = useState("");
  const left = Math.ceil((plan.expiresAt - useNow(1000)) / 1000);
  useEffect(() => {
    if (!isTyping()) box.current?.focus({ preventScroll: true });
  }, []);

  const written = steps.map((step) => step.text.trim()).filter(Boolean);
  const changed =
    editing === "text"
      ? text.trim() !== plan.markdown.trim()
      : summary.trim() !== plan.summary || written.join("\n") !== plan.steps.join("\n");
  const empty = editing === "text" ? !text.trim() : !summary.trim() || written.length === 0;

  /** @param {MouseEvent} event */
  const choose = async (event) => {
    if (!guard.meant(event) || sent) return;
    const decision = /** @type {HTMLElement} */ (event.currentTarget).dataset.option ?? "";
    setSent(decision);
    setProblem("");
    try {
      await answerPlan(item.id, decision === "approved" && changed ? edit() : { decision });
    } catch (error) {
      setSent("");
      setProblem(/** @type {Error} */ (error).message || t("card_not_sent"));
    }
  };
  const edit = () =>
    editing === "text"
      ? { decision: "edited", text: text.trim() }
      : { decision: "edited", summary: summary.trim(), steps: written };
  const off = sent !== "" || !guard.ready || left <= 0 || line.value.state !== "connected";

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot take the focus in every browser
    <section
      ref={box}
      class="card card-plan"
      role="group"
      tabIndex={-1}
      aria-labelledby={`plan-${item.id}`}
      data-card="plan"
      data-ready={guard.ready}
    >
      <div class="card-head">
        <Icon name="read" />
        <h2 id={`plan-${item.id}`}>{t("plan_title")}</h2>
        {plan.confidence !== null && (
          <span class="plan-sure">{t("plan_sure", { percent: Math.round(plan.confidence * 100) })}</span>
        )}
      </div>
      {editing === "" && (
        <>
          <p class="plan-summary" dir="auto">
            {summary}
          </p>
          <ol class="plan-steps">
            {steps.map((step) => (
              <li key={step.id} dir="auto">
                {step.text}
              </li>
            ))}
          </ol>
        </>
      )}
      {editing === "steps" && (
        <>
          <label class="plan-label" for={`summary-${item.id}`}>
            {t("plan_summary")}
          </label>
          <textarea
            id={`summary-${item.id}`}
            class="plan-input"
            rows={2}
            dir="auto"
            maxLength={SUMMARY_CHARS}
            value={summary}
            data-field="summary"
            onInput={(event) => setSummary(event.currentTarget.value)}
          />
          <PlanSteps steps={steps} onChange={setSteps} />
        </>
      )}
      {editing === "text" && (
        <textarea
          class="plan-input plan-text"
          rows={10}
          dir="auto"
          maxLength={TEXT_CHARS}
          value={text}
          aria-label={t("plan_as_text")}
          data-field="text"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      {plan.risks.length > 0 && editing !== "text" && (
        <ul class="plan-risks" aria-label={t("plan_risks")}>
          {plan.risks.map((risk) => (
            <li key={risk}>
              <Icon name="alert" size={14} />
              <span dir="auto">{risk}</span>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      <div class="button-row card-buttons">
        <button
          type="button"
          class="button primary"
          data-option="approved"
          disabled={off || empty}
          aria-busy={sent === "approved"}
          onPointerDown={guard.onPointerDown}
          onClick={choose}
        >
          {t(changed ? "plan_run_edited" : "plan_run")}
        </button>
        <button
          type="button"
          class="button secondary"
          data-option="rejected"
          disabled={off}
          aria-busy={sent === "rejected"}
          onPointerDown={guard.onPointerDown}
          onClick={choose}
        >
          {t("plan_cancel")}
        </button>
        {editing !== "steps" && (
          <button type="button" class="link-button" data-action="edit" onClick={() => setEditing("steps")}>
            {t(editing === "text" ? "plan_as_steps" : "plan_edit")}
          </button>
        )}
        {editing === "steps" && (
          <button type="button" class="link-button" data-action="text" onClick={() => setEditing("text")}>
            {t("plan_as_text")}
          </button>
        )}
      </div>
      <p class="card-clock">
        <span class="visually-hidden">{t("plan_waits")}</span>
        <span aria-hidden="true">
          <Icon name="clock" size={12} />{" "}
          {left > 0 ? t("plan_left", { time: elapsed(left * 1000) }) : t("plan_expired")}
        </span>
      </p>
    </section>
  );
}

/** @type {Record<string, string>} what became of a plan, as a message key */
const SETTLED = {
  auto: "plan_auto",
  approved: "plan_approved",
  edited: "plan_edited",
  rejected: "plan_rejected",
  expired: "plan_expired",
  withdrawn: "plan_withdrawn",
};

/**
 * One line; opened it shows the plan.
 *
 * @param {{item: PlanItem}} props
 */
function Settled({ item }) {
  const { plan, decision } = item;
  const runs = ["auto", "approved", "edited"].includes(decision);
  const percent = Math.round((plan.confidence ?? 0) * 100);
  const key = decision === "auto" && plan.confidence === null ? "plan_auto_unsaid" : SETTLED[decision];
  return (
    <details class="plan-settled" data-card="plan" data-answer={decision}>
      <summary>
        <Icon name={runs ? "check" : "cross"} size={14} />
        <span>
          {t(key ?? "plan_withdrawn", { percent })}{" "}
          <span class="plan-count">{tn("plan_steps", plan.steps.length)}</span>
        </span>
      </summary>
      {decision === "edited" && <p class="plan-note">{t("plan_before_edit")}</p>}
      <Markdown
        text={plan.markdown || [plan.summary, ...plan.steps.map((s, i) => `${i + 1}. ${s}`)].join("\n")}
      />
    </details>
  );
}
