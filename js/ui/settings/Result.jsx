import { duration } from "../format.js";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";

/** @typedef {import("../types.js").TestResult} TestResult */

/**
 * A test that failed: what is wrong, and what to do.
 *
 * @param {{result: TestResult}} props
 */
export function Failed({ result }) {
  return (
    <div class="result result-bad" role="alert" data-result="failed">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{result.error?.message || t("test_failed")}</strong>
        </p>
        {result.error?.hint && <p>{result.error.hint}</p>}
      </div>
    </div>
  );
}

/**
 * A test that a model answered; `good` says whether it also did what was asked.
 *
 * @param {{result: TestResult, good: boolean, says: string}} props
 */
export function Passed({ result, good, says }) {
  return (
    <div class={`result ${good ? "result-ok" : "result-warn"}`} role="status" data-result="ok">
      <Icon name={good ? "check" : "info"} />
      <div>
        <p>
          <strong>
            {t("test_ok", { model: result.model ?? "", time: duration(result.latencyMs ?? 0) })}
          </strong>
        </p>
        <p>{says}</p>
        {result.notes?.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
    </div>
  );
}
