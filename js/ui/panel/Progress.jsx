import { t, tn } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";

/**
 * @typedef {import("../conversation.js").ProgressRow} ProgressRow
 * @typedef {import("../items.js").Undone} Undone
 */

/** How a row's state is drawn. */
const ICONS = { pending: "clock", acted: "unknown", processed: "check", skipped: "info", failed: "cross" };

/**
 * The items of a task and how far each is: one line that opens.
 *
 * @param {{rows: ProgressRow[]}} props
 */
export function Progress({ rows }) {
  const done = rows.filter((row) => row.status === "processed").length;
  return (
    <details class="plan-settled progress-list" data-progress={`${done}/${rows.length}`}>
      <summary>
        <Icon name={done === rows.length ? "check" : "info"} size={14} />
        <span>{t("progress_count", { done, total: rows.length })}</span>
      </summary>
      <ul>
        {rows.map((row) => (
          <li key={row.id} data-status={row.status}>
            <Icon name={ICONS[row.status]} size={12} />
            <span>
              <span dir="auto">{row.label}</span> <span class="progress-state">{stateOf(row)}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/**
 * What the record says was not done, under the answer.
 *
 * @param {{items: Undone[]}} props
 */
export function NotDone({ items }) {
  return (
    <div class="not-done" role="note">
      <p>{t("not_done")}</p>
      <ul>
        {items.map((item, index) => (
          <li key={index} data-status={item.status}>
            {item.status === "more" ? (
              tn("progress_more", item.count)
            ) : (
              <>
                <span dir="auto">{item.label}</span> <span class="progress-state">{stateOf(item)}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** @param {{status: string, reason: string}} row */
function stateOf(row) {
  const state = t(`progress_${row.status}`);
  return row.reason ? `${state}: ${row.reason}` : state;
}
