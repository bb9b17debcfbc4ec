/**
 * Messages that wait for the task that is going on, as Python reads them off its journal (`services/queue.py`): the
 * two must agree.
 *
 * @typedef {import("./types.js").QueuedMessage} QueuedMessage
 * @typedef {import("./types.js").RunEvent} RunEvent
 */

const OWN = new Set(["queued_message", "queued_removed"]);
/** How a run ends after which nothing that waits is sent by itself. */
const HOLDING = new Set(["stopped", "failed"]);

/**
 * @param {RunEvent} event
 * @returns {boolean} whether it is about what waits, and part of no turn
 */
export const isAboutQueue = (event) => OWN.has(event.type);

/**
 * @param {QueuedMessage[]} queue
 * @param {RunEvent} event
 * @returns {QueuedMessage[]}
 */
export function queueAfter(queue, { type, requestId, data }) {
  switch (type) {
    case "queued_message":
      return [
        ...queue.filter((one) => one.id !== data.id),
        { id: data.id, text: data.text, mode: data.mode, held: Boolean(data.held) },
      ];
    case "queued_removed":
      return queue.filter((one) => one.id !== data.id);
    case "user_message":
      return queue.some((one) => one.id === requestId) ? queue.filter((one) => one.id !== requestId) : queue;
    case "run_complete":
      if (!HOLDING.has(data.status) && data.outcome !== "failed") return queue;
      return queue.map((one) => ({ ...one, held: true }));
    default:
      return queue;
  }
}
