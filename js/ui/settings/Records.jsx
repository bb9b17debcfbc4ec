import { useEffect, useState } from "preact/hooks";
import { bytes, duration, money } from "../format.js";
import { language, t, tn } from "../i18n.js";
import { copyText } from "../shared/dom.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { Recording } from "./Recording.jsx";
import { deleteAllRuns, listRuns, readDebugLog } from "./records.js";
import { SettingGroups } from "./Setting.jsx";
import { boot, detail, line, recordsChanged } from "./store.js";

/** @typedef {import("./records.js").RunRow} RunRow */

/** Whether runs are recorded, the recordings there are, and the debug log. */
export function Records() {
  if (detail.value) return <Recording key={detail.value} runId={detail.value} />;
  return (
    <section aria-labelledby="records-title">
      <h2 id="records-title">{t("records")}</h2>
      <SettingGroups shows={(name) => name === "records"} />
      <fieldset class="setting-group">
        <legend>{t("records_list")}</legend>
        <Runs />
      </fieldset>
      <fieldset class="setting-group">
        <legend>{t("debug_log")}</legend>
        <DebugLog />
      </fieldset>
    </section>
  );
}

function Runs() {
  const [runs, setRuns] = useState(/** @type {RunRow[] | null} */ (null));
  const [more, setMore] = useState(false);
  const [total, setTotal] = useState(/** @type {import("./records.js").Total | null} */ (null));
  const [problem, setProblem] = useState("");
  /** @param {RunRow[]} [before] */
  const load = async (before = []) => {
    try {
      const answer = await listRuns(before.at(-1));
      setRuns([...before, ...answer.runs]);
      setMore(answer.more);
      setTotal(answer.total);
      setProblem("");
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message || t("went_wrong"));
    }
  };
  // Again after a loss of the line or of Python, too: what was asked then was never answered.
  useEffect(() => {
    if (line.value === "connected" || !runs) void load();
  }, [recordsChanged.value, line.value, boot.value?.state, boot.value?.epoch]);
  if (problem)
    return (
      <p class="setting-state bad records-note" role="alert">
        <Icon name="alert" size={12} /> {problem}
      </p>
    );
  if (!runs) return null;
  if (!runs.length) return <p class="help records-none">{t("records_none")}</p>;
  return (
    <>
      <div class="records-head">
        {total && (
          <p class="help">
            {tn("records_count", total.runs)},{" "}
            {t("records_room", { size: bytes(total.chars), limit: bytes(total.limit) })}
          </p>
        )}
        <Sure
          action="delete-records"
          label={t("records_delete_all")}
          question={t("records_delete_ask")}
          onYes={deleteAllRuns}
        />
      </div>
      <ul class="records">
        {runs.map((run) => (
          <li key={run.runId} data-run={run.runId}>
            <a href={`#records/${encodeURIComponent(run.runId)}`}>
              <span class="record-title">{titleOf(run)}</span>
              <span class="record-facts">
                <Status run={run} />
                <Facts run={run} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" class="button" data-action="more-records" onClick={() => load(runs)}>
          {t("records_more")}
        </button>
      )}
    </>
  );
}

/** @param {RunRow} run */
export const titleOf = (run) =>
  run.userMessage.trim() || t(run.continued ? "record_continued" : "record_untitled");

/** @param {{run: RunRow}} props */
export function Status({ run }) {
  const status = run.status || "unknown";
  return (
    <span class={`record-status status-${status}`} data-status={status}>
      {t(`record_status_${status}`)}
    </span>
  );
}

/**
 * When, how long, how many steps, which model, what it cost: what of it is known.
 *
 * @param {{run: RunRow}} props
 */
export function Facts({ run }) {
  const facts = [
    new Date(run.startedAt).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" }),
    run.durationMs ? duration(run.durationMs) : "",
    run.stepCount ? tn("steps", run.stepCount) : "",
    run.model,
    run.totalCost ? `${run.costEstimated ? "≈ " : ""}${money(run.totalCost)}` : "",
  ];
  return facts.filter(Boolean).map((fact) => <span key={fact}>{fact}</span>);
}

/**
 * A button that asks once more before it does something that cannot be taken back.
 *
 * @param {{action: string, label: string, question: string, onYes: () => Promise<any>}} props
 */
export function Sure({ action, label, question, onYes }) {
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState("");
  const yes = async () => {
    try {
      await onYes();
      setAsking(false);
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message || t("went_wrong"));
    }
  };
  if (!asking)
    return (
      <button type="button" class="button quiet" data-action={action} onClick={() => setAsking(true)}>
        {label}
      </button>
    );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not lay out in a row of buttons
    <span class="remove-ask" role="group" aria-label={question}>
      <span role={problem ? "alert" : undefined}>{problem || question}</span>
      <button type="button" class="button danger" data-action={`${action}-yes`} onClick={yes}>
        {t("delete")}
      </button>
      <button type="button" class="button quiet" onClick={() => setAsking(false)}>
        {t("cancel")}
      </button>
    </span>
  );
}

function DebugLog() {
  const [state, setState] = useState(/** @type {"" | "work" | "copied" | "failed"} */ (""));
  const copy = async () => {
    setState("work");
    try {
      setState((await copyText(await readDebugLog())) ? "copied" : "failed");
    } catch {
      setState("failed");
    }
  };
  return (
    <div class="setting setting-button" id="debug-log">
      <div class="setting-text">
        <div class="setting-head">
          <p class="setting-title">{t("debug_log_title")}</p>
          <p class={`setting-state ${state === "failed" ? "bad" : "ok"}`} role="status">
            {state === "copied" && (
              <>
                <Icon name="check" size={12} /> {t("copied")}
              </>
            )}
            {state === "failed" && (
              <>
                <Icon name="alert" size={12} /> {t("copy_failed")}
              </>
            )}
          </p>
        </div>
        <p class="help">{t("debug_log_help")}</p>
      </div>
      <div class="setting-control">
        <button
          type="button"
          class="button"
          data-action="copy-debug-log"
          disabled={state === "work"}
          onClick={copy}
        >
          {state === "work" && <Spinner />}
          {t("copy")}
        </button>
      </div>
    </div>
  );
}
