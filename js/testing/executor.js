// The executor of a test build: it can be stopped before a call reaches the browser, and after the browser has carried
// it out but before anybody heard of it. build/crash.py puts it in the executor's place; nothing that is shipped has it.

import { execute as really, rowOf } from "../bridge/executor.js";

export { rowOf };

/** Keys in `storage.session` by which a test speaks: it outlives every part that a test may kill. */
const ARMED = "WEBBRAIN_CRASH_armed";
const REACHED = "WEBBRAIN_CRASH_reached";
const RELEASED = "WEBBRAIN_CRASH_released";
const POLL_MS = 25;

/** @typedef {import("../bridge/rpc.js").Frame} Frame */

/**
 * Stop here if a test wants it, until it says go on. The part that waits may be killed meanwhile.
 * @param {any} area @param {string} point @param {Frame} call
 */
async function pass(area, point, call) {
  const armed = (await area.get([ARMED]))[ARMED];
  if (armed?.point !== point || armed.action !== call.params?.message?.action) return;
  await area.remove([ARMED]);
  await area.set({ [REACHED]: point });
  while (!(await area.get([RELEASED]))[RELEASED]) await new Promise((go) => setTimeout(go, POLL_MS));
  await area.remove([REACHED, RELEASED]);
}

/**
 * As `execute` of the real one.
 * @param {any} api @param {string} browser @param {Frame} call @returns {Promise<Frame>}
 */
export async function execute(api, browser, call) {
  const speaks = call.method === "tabs.sendMessage";
  if (speaks) await pass(api.storage.session, "before_call", call);
  const answer = await really(api, browser, call);
  if (speaks) await pass(api.storage.session, "after_effect_before_reply", call);
  return answer;
}
