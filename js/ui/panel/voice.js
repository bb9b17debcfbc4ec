import { computed, signal } from "@preact/signals";
import { ext } from "../browser.js";
import { LONGEST_MS, mayListen, Recording } from "../microphone.js";
import { draftOf, setDraftOf } from "./drafts.js";
import { transcribe } from "./line.js";
import { tab, view, voiceEnabled } from "./state.js";
import { openSettings } from "./tabs.js";

/**
 * Speaking instead of typing: what is said goes to the transcription model, its words into the composer of the tab
 * that was shown when it began. Nothing is sent by itself.
 *
 * @typedef {"idle" | "asking" | "recording" | "working"} VoiceState
 */

export const state = signal(/** @type {VoiceState} */ ("idle"));
/** When the recording began, in milliseconds. */
export const since = signal(0);
/** Message key of what went wrong, or a sentence of the agent's. */
export const problem = signal({ key: "", text: "" });
/** Whether there is a model to speak to. */
export const offered = computed(() => Boolean(view.value?.voice) && voiceEnabled.value);

/** @type {Recording | null} */
let recording = null;
/** Counts attempts: what belongs to an earlier one is dropped. */
let turn = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let limit;
/** The tab whose message it becomes. */
let target = -1;

/** Begin to listen. */
export async function speak() {
  const mine = ++turn;
  problem.value = { key: "", text: "" };
  target = tab.value?.id ?? -1;
  state.value = "asking";
  // Only a tab can show the browser's question.
  if ((await mayListen()) !== "granted" && (await ext.tabs.getCurrent()) === undefined) {
    reset();
    problem.value = { key: "voice_ask_in_settings", text: "" };
    openSettings("voice/allow");
    return;
  }
  try {
    const begun = await Recording.begin();
    if (mine !== turn) return begun.cancel();
    recording = begun;
  } catch (error) {
    if (mine === turn) refused(/** @type {DOMException} */ (error).name);
    return;
  }
  since.value = Date.now();
  state.value = "recording";
  limit = setTimeout(() => void write(), LONGEST_MS);
}

/** @param {string} name of the error */
function refused(name) {
  reset();
  const keys = /** @type {Record<string, string>} */ ({
    NotAllowedError: "voice_not_allowed",
    NotFoundError: "voice_no_microphone",
  });
  problem.value = { key: keys[name] ?? "voice_not_readable", text: "" };
}

/** Stop listening and write down what was said. */
export async function write() {
  if (!recording) return;
  const mine = turn;
  const said = recording;
  recording = null;
  clearTimeout(limit);
  state.value = "working";
  try {
    const sound = await said.finish();
    const words = sound ? (await transcribe(sound)).text : "";
    if (mine !== turn) return;
    if (words) addToDraft(words);
    else problem.value = { key: "voice_nothing_heard", text: "" };
  } catch (error) {
    if (mine !== turn) return;
    problem.value = { key: "went_wrong", text: /** @type {Error} */ (error).message };
  }
  reset();
}

/** Stop, and forget what was said. */
export function forget() {
  turn++;
  recording?.cancel();
  reset();
  problem.value = { key: "", text: "" };
}

function reset() {
  recording = null;
  clearTimeout(limit);
  state.value = "idle";
}

/** @param {string} words */
function addToDraft(words) {
  const before = draftOf(target);
  setDraftOf(target, before && !/\s$/.test(before) ? `${before} ${words}` : before + words);
}
