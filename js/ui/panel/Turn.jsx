import { useState } from "preact/hooks";
import { answerText } from "../conversation.js";
import { compact, duration, money, number } from "../format.js";
import { t, tn } from "../i18n.js";
import { CopyButton } from "../shared/CopyButton.jsx";
import { Icon } from "../shared/icons.jsx";
import { Markdown } from "../shared/Markdown.jsx";
import { memo } from "../shared/memo.js";
import { SentFiles } from "./Attachments.jsx";
import { Card } from "./Cards.jsx";
import { Clarify } from "./Clarify.jsx";
import { Plan } from "./Plan.jsx";
import { NotDone, Progress } from "./Progress.jsx";
import { Steps } from "./Steps.jsx";
import { continueRun, retry } from "./sending.js";
import { busy } from "./state.js";
import { goToTab, openSettings } from "./tabs.js";
import { Waiting } from "./Waiting.jsx";

/**
 * @typedef {import("../conversation.js").Turn} TurnModel
 * @typedef {import("../items.js").Item} Item
 * @typedef {import("../items.js").ToolItem | import("../items.js").PictureItem} StepItem what
 *   stands on the rail
 */

/** One run: the question and all that followed. */
export const Turn = memo(TurnParts);

/** @param {{turn: TurnModel, last: boolean}} props */
function TurnParts({ turn, last }) {
  const groups = group(turn.items);
  const over = turn.status !== "running";
  return (
    <article class="turn" data-status={turn.status}>
      {turn.continued ? (
        <p class="continued" data-question>
          {t("continued")}
        </p>
      ) : (
        <Question text={turn.question} mode={turn.mode}>
          <SentFiles files={turn.files} />
        </Question>
      )}
      {groups.map((part, index) =>
        Array.isArray(part) ? (
          <Steps key={part[0].id} items={part} />
        ) : (
          <Part key={part.id} item={part} turn={turn} last={last} narration={index < groups.length - 1} />
        ),
      )}
      {turn.progress.rows.length > 0 && <Progress rows={turn.progress.rows} />}
      {turn.waiting && !over && <Waiting pause={turn.waiting} />}
      {turn.thinking && !over && (
        <p class="thinking" aria-hidden="true">
          <span />
          <span />
          <span />
        </p>
      )}
      {over && <Footer turn={turn} last={last} />}
    </article>
  );
}

/** A longer question is folded, or it would push its own answer out of sight. */
const LONG_CHARS = 700;
const LONG_LINES = 12;

/**
 * @param {{text: string, mode: string, children?: any}} props
 */
export function Question({ text, mode, children }) {
  const act = mode !== "ask";
  const long = text.length > LONG_CHARS || text.split("\n").length > LONG_LINES;
  const [all, setAll] = useState(false);
  return (
    <div class={`question ${act ? "mode-act" : "mode-ask"}`} data-question>
      <div class={`question-bubble ${long && !all ? "clamped" : ""}`} dir="auto">
        <h2 class="visually-hidden">{t("you_said", { mode: t(act ? "mode_act" : "mode_ask") })} </h2>
        {text}
      </div>
      {long && (
        <button type="button" class="link-button" aria-expanded={all} onClick={() => setAll(!all)}>
          {t(all ? "show_less" : "show_all")}
        </button>
      )}
      {children}
    </div>
  );
}

/**
 * @param {{item: Exclude<Item, StepItem>, turn: TurnModel, last: boolean, narration: boolean}} props
 */
function Part({ item, turn, last, narration }) {
  switch (item.kind) {
    case "text":
      return (
        <div class={`answer ${narration ? "narration" : ""} ${item.streaming ? "streaming" : ""}`}>
          <Markdown text={item.content} />
          {item.undone && <NotDone items={item.undone} />}
        </div>
      );
    case "compacted":
      return (
        <p class="separator" role="note">
          {t("context_compacted")}
        </p>
      );
    case "warning":
      return <Warning item={item} />;
    case "error":
      return <ErrorCard item={item} turn={turn} last={last} />;
    case "card":
      return item.card.kind === "clarify" ? <Clarify item={item} /> : <Card item={item} />;
    case "plan":
      return <Plan item={item} />;
    case "max_steps":
      return <MaxSteps item={item} last={last} />;
  }
}

/**
 * Something the person should know. Tabs it speaks of are there to go to.
 *
 * @param {{item: import("../items.js").WarningItem}} props
 */
function Warning({ item }) {
  const tabs = item.tabs;
  return (
    <div class="warning" data-code={item.code}>
      <Icon name="info" size={14} />
      <div>
        <p>{tabs.length ? tn("tabs_left_open", tabs.length) : item.message}</p>
        {tabs.length > 0 && (
          <ul>
            {tabs.map((tab) => (
              <li key={tab.tabId}>
                <button type="button" class="link-button" onClick={() => goToTab(tab.tabId)}>
                  <span>{tab.url || t("tab_unnamed")}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {MENDED_BY_VISION.has(item.code) && (
          <button type="button" class="link-button" onClick={() => openSettings("pictures")}>
            {t("check_settings")}
          </button>
        )}
      </div>
    </div>
  );
}

/** Warnings about pictures, which another choice in the settings may mend. */
const MENDED_BY_VISION = new Set(["vision_failed", "pictures_refused"]);

/** Errors that the settings may mend: those of py/webbrain/providers/errors.py that are about the choice made there. */
const MENDED_IN_SETTINGS = new Set([
  "plan_failed",
  "plan_only_output",
  "no_provider",
  "not_configured",
  "invalid_field",
  "wrong_key",
  "wrong_address",
  "server_not_running",
  "unreachable",
  "origin_refused",
  "rate_limited",
  "no_credit",
  "context_too_small",
  "chat_template",
  "model_not_found",
  "timeout",
  "stalled",
  "overloaded",
  "bad_response",
  "malformed_tool_call",
  "request_refused",
  "provider_error",
]);

/**
 * @param {{item: import("../items.js").ErrorItem, turn: TurnModel, last: boolean}} props
 */
function ErrorCard({ item, turn, last }) {
  const [open, setOpen] = useState(false);
  const settings = MENDED_IN_SETTINGS.has(item.code);
  const allowance = item.code === "cost_limit";
  return (
    <section class="card card-error" data-code={item.code} aria-label={t("error")}>
      <div class="card-head">
        <Icon name="alert" />
        <p>{item.message}</p>
      </div>
      {/* What to do comes first in the detail, the service's own words after it. */}
      {item.detail && !open && <p class="card-hint">{item.detail.split("\n\n")[0]}</p>}
      {open && <pre tabIndex={0}>{`${item.code}\n${item.detail}`}</pre>}
      <div class="button-row">
        {last && item.retryable && (
          <button type="button" class="button primary" disabled={busy.value} onClick={() => retry(turn)}>
            {t("retry")}
          </button>
        )}
        {last && allowance && (
          <button
            type="button"
            class="button primary"
            data-action="continue"
            disabled={busy.value}
            onClick={continueRun}
          >
            {t("continue")}
          </button>
        )}
        {allowance && (
          <button type="button" class="button" onClick={() => openSettings("general")}>
            {t("change_allowance")}
          </button>
        )}
        {settings && (
          <button type="button" class="button" onClick={() => openSettings("providers")}>
            {t("check_settings")}
          </button>
        )}
        {item.detail && !allowance && (
          <button type="button" class="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {t("details")}
          </button>
        )}
      </div>
    </section>
  );
}

/**
 * @param {{item: import("../items.js").MaxStepsItem, last: boolean}} props
 */
function MaxSteps({ item, last }) {
  return (
    <section class="card card-more" aria-label={tn("max_steps", item.steps)}>
      <div class="card-head">
        <Icon name="info" />
        <h2>{tn("max_steps", item.steps)}</h2>
      </div>
      {item.recap && <Markdown text={item.recap} />}
      {last && (
        <div class="button-row">
          <button
            type="button"
            class="button primary"
            data-action="continue"
            disabled={busy.value}
            onClick={continueRun}
          >
            {t("continue")}
          </button>
        </div>
      )}
    </section>
  );
}

/**
 * How the run ended, what it took, and its text to take away.
 *
 * @param {{turn: TurnModel, last: boolean}} props
 */
function Footer({ turn, last }) {
  const text = answerText(turn);
  const verdict = verdictOf(turn);
  const steps = turn.items.filter((item) => item.kind === "tool").length;
  return (
    <footer class="turn-footer">
      {verdict && (
        <p class={`verdict verdict-${verdict.kind}`}>
          <Icon name={verdict.icon} size={14} />
          <span>{t(verdict.key)}</span>
        </p>
      )}
      {steps > 0 && <span>{tn("steps", steps)}</span>}
      {turn.durationMs > 0 && (steps > 0 || text) && <span>{duration(turn.durationMs)}</span>}
      {turn.usage && <Spent usage={turn.usage} />}
      {text && <CopyButton text={() => text} label={t("copy_answer")} />}
      {last && turn.status === "interrupted" && (
        <button
          type="button"
          class="button"
          data-action="continue"
          disabled={busy.value}
          onClick={continueRun}
        >
          {t("continue")}
        </button>
      )}
    </footer>
  );
}

/**
 * Tokens and money in small print; what is a guess says so.
 *
 * @param {{usage: import("../conversation.js").Usage}} props
 */
function Spent({ usage }) {
  const tokens = usage.promptTokens + usage.completionTokens;
  const about = (/** @type {string} */ text, /** @type {boolean} */ guess) => (guess ? `≈ ${text}` : text);
  const parts = {
    read: number(usage.promptTokens),
    cached: number(usage.cachedTokens),
    written: number(usage.completionTokens),
  };
  const more = usage.conversationCostUsd !== null && usage.conversationCostUsd !== usage.costUsd;
  return (
    <>
      {tokens > 0 && (
        <span title={t("tokens_parts", parts)} data-tokens={tokens}>
          {t("tokens", { count: about(compact(tokens), usage.tokensEstimated) })}
        </span>
      )}
      {usage.costUsd !== null && (
        <span title={usage.costEstimated ? t("cost_estimated") : undefined} data-cost={usage.costUsd}>
          {about(money(usage.costUsd), usage.costEstimated)}
        </span>
      )}
      {more && usage.conversationCostUsd !== null && (
        <span>{t("conversation_cost", { cost: money(usage.conversationCostUsd) })}</span>
      )}
    </>
  );
}

/**
 * @param {TurnModel} turn
 * @returns {{key: string, kind: string, icon: string} | null}
 */
function verdictOf(turn) {
  const said = turn.items.some((item) => item.kind === "error");
  if (turn.status === "stopped") return { key: "run_stopped", kind: "quiet", icon: "stop" };
  if (turn.status === "interrupted") return { key: "run_interrupted", kind: "warn", icon: "alert" };
  if (turn.status === "failed" && !said) return { key: "run_failed", kind: "bad", icon: "alert" };
  if (turn.status === "completed" && turn.outcome === "partial")
    return { key: "run_partial", kind: "warn", icon: "info" };
  if (turn.status === "completed" && turn.outcome === "failed")
    return { key: "run_not_done", kind: "bad", icon: "cross" };
  if (turn.status === "completed" && turn.outcome === "success")
    return { key: "run_done", kind: "ok", icon: "check" };
  return null;
}

/**
 * Tool calls and pictures that follow each other become one list.
 *
 * @param {Item[]} items
 * @returns {(StepItem[] | Exclude<Item, StepItem>)[]}
 */
function group(items) {
  /** @type {(StepItem[] | Exclude<Item, StepItem>)[]} */
  const result = [];
  for (const item of items) {
    const open = result.at(-1);
    if (item.kind !== "tool" && item.kind !== "picture") result.push(item);
    else if (Array.isArray(open)) open.push(item);
    else result.push([item]);
  }
  return result;
}
