/**
 * Content script: one listener, one dispatcher.
 *
 * It is injected when it is first needed and may be injected again at any time; a copy that is alive stays as it is,
 * one left over from an older version of the extension is taken down. It answers messages of its own extension only,
 * keeps nothing on the page and looks at nothing between two messages.
 */

import { aim, landed } from "./aim.js";
import { whole } from "./args.js";
import { setChecked } from "./checked.js";
import { click, clickAx } from "./click.js";
import { dragDrop } from "./drag.js";
import { getInteractiveElements } from "./elements.js";
import { extractData } from "./extract.js";
import { setField, typeAx } from "./field.js";
import { findText } from "./findtext.js";
import { verifyForm } from "./formcheck.js";
import { submitProbe } from "./forms.js";
import { frameRead, viewport } from "./frameread.js";
import { frameClick, frameType } from "./frames.js";
import { hover } from "./hover.js";
import { getSelectionText, pageState, waitForElement } from "./inspect.js";
import { pressKeys } from "./keys.js";
import { ACTION_MS, ANSWER_CHARS, STABLE_MAX_MS, WAIT_MAX_MS } from "./limits.js";
import { inPdf } from "./pdftab.js";
import { readPage } from "./readpage.js";
import { redactionRegions } from "./redaction.js";
import { replayRequest } from "./replay.js";
import { links, media, RESOURCE_ANSWER_CHARS, resource } from "./resource.js";
import { scroll } from "./scroll.js";
import { selectText } from "./selecttext.js";
import { Refusal, Session } from "./session.js";
import { getShadowDom, shadowDomQuery } from "./shadow.js";
import { waitForStable } from "./stable.js";
import { line } from "./text.js";
import { shapeOf } from "./tree.js";
import { typeText } from "./typetext.js";
import { takeField, uploadFile } from "./upload.js";

/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {(session: Session, args: Args) => Answer | Promise<Answer>} Action */

/** @type {Readonly<Record<string, Action>>} */
const ACTIONS = Object.freeze({
  tree,
  click_ax: clickAx,
  click,
  hover,
  drag_drop: dragDrop,
  set_checked: setChecked,
  type_text: typeText,
  upload_file: uploadFile,
  take_field: takeField,
  select_text: selectText,
  frame_click: frameClick,
  frame_type: frameType,
  aim,
  landed,
  type_ax: typeAx,
  set_field: setField,
  press_keys: pressKeys,
  scroll,
  read_page: (_session, args) => readPage(args),
  resource,
  media,
  links,
  wait_for_element: waitForElement,
  get_selection: () => getSelectionText(),
  page_state: (session) => pageState(session),
  submit_probe: submitProbe,
  get_interactive_elements: getInteractiveElements,
  extract_data: extractData,
  verify_form: verifyForm,
  find_text: findText,
  get_shadow_dom: getShadowDom,
  shadow_dom_query: shadowDomQuery,
  wait_for_stable: waitForStable,
  frame_read: frameRead,
  viewport: () => viewport(),
  redaction_regions: (_session, args) => redactionRegions(args),
  replay_request: (_session, args) => replayRequest(args),
  ping: () => ({ success: true }),
  history_step: (_session, args) => historyStep(args),
});

/** How much longer than others an action may take that waits on purpose. @type {Readonly<Record<string, number>>} */
const LONGER = Object.freeze({
  wait_for_element: WAIT_MAX_MS,
  wait_for_stable: STABLE_MAX_MS,
});

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Answer}
 */
function tree(session, args) {
  const shape = shapeOf(args);
  const anchor = shape.ref_id ? session.element(shape.ref_id).element : null;
  const revision = typeof args.tree_revision === "string" ? args.tree_revision : null;
  return /** @type {Answer} */ (session.trees.read(shape, anchor, whole(args.page, 1, 1, 100_000), revision));
}

/**
 * One step in the tab's history, taken once the answer is on its way.
 * @param {Args} args `delta` -1 or 1
 * @returns {Answer}
 */
function historyStep(args) {
  const delta = args.delta;
  if (delta !== -1 && delta !== 1)
    return { success: false, code: "bad_delta", error: "delta must be -1 or 1." };
  setTimeout(() => window.history.go(delta), 0);
  return { success: true };
}

/**
 * Run one action. Its references are numbered on from those that the run has met in other documents, and the answer
 * says how far they go now, so that no two frames of a run give the same one.
 * @param {Session} session
 * @param {string} name
 * @param {Args} args
 * @returns {Promise<Answer>}
 */
async function answer(session, name, args) {
  if (typeof args.refs_after === "number") session.refs.startAfter(whole(args.refs_after, 0, 0, 900_000_000));
  const found = await run(session, name, args);
  return session.refs.last ? { ...found, lastRef: session.refs.last } : found;
}

/**
 * Run one action; a failure is an answer, never an exception.
 * @param {Session} session
 * @param {string} name
 * @param {Args} args
 * @returns {Promise<Answer>}
 */
async function run(session, name, args) {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    return {
      success: false,
      code: "unknown_action",
      error: `The page script knows no action ${JSON.stringify(name.slice(0, 40))}.`,
    };
  const paper = inPdf(name);
  if (paper) return paper;
  try {
    const begun = action(session, args);
    const answer = begun instanceof Promise ? await inTime(begun, ACTION_MS + (LONGER[name] ?? 0)) : begun;
    if (JSON.stringify(answer).length > (name === "resource" ? RESOURCE_ANSWER_CHARS : ANSWER_CHARS))
      return { success: false, code: "too_large", error: "The answer of the page is too large to be used." };
    return answer;
  } catch (error) {
    if (error instanceof Refusal)
      return { success: false, code: error.code, error: error.message, ...error.more };
    return {
      success: false,
      code: "page_script_error",
      error: `The page script failed: ${line(String(error), 200)}`,
    };
  }
}

/**
 * @param {Promise<Answer>} begun
 * @param {number} limit milliseconds
 * @returns {Promise<Answer>} its answer, or that it is late
 */
async function inTime(begun, limit) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((/** @type {(answer: Answer) => void} */ done) => {
    timer = setTimeout(
      () =>
        done({
          success: false,
          code: "timeout",
          error:
            "The page did not finish in time; it may have acted or not. Read it again before repeating anything.",
        }),
      limit,
    );
  });
  try {
    return await Promise.race([begun, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @typedef {{ version: string, alive: () => boolean, dispose: () => void }} Installed */

const KEY = Symbol.for("webbrain.content");

function install() {
  const api = /** @type {any} */ (globalThis).browser ?? /** @type {any} */ (globalThis).chrome;
  const world = /** @type {Record<symbol, Installed | undefined>} */ (/** @type {unknown} */ (globalThis));
  const version = String(api.runtime.getManifest?.().version ?? "0");
  const there = world[KEY];
  if (there?.alive() && there.version === version) return;
  there?.dispose();
  const session = new Session();

  /**
   * @param {any} message
   * @param {{ id?: string }} sender
   * @param {(answer: Answer) => void} respond
   * @returns {boolean} true: the answer comes later
   */
  const listen = (message, sender, respond) => {
    if (message?.target !== "content" || typeof message.action !== "string" || sender?.id !== api.runtime.id)
      return false;
    const args = message.args && typeof message.args === "object" ? message.args : {};
    answer(session, message.action, args).then(respond, () => undefined);
    return true;
  };
  api.runtime.onMessage.addListener(listen);
  world[KEY] = {
    version,
    alive: () => {
      try {
        return typeof api.runtime.id === "string";
      } catch {
        return false;
      }
    },
    dispose: () => {
      try {
        api.runtime.onMessage.removeListener(listen);
      } catch {
        // The extension it belonged to is gone, and its listeners with it.
      }
      delete world[KEY];
    },
  };
}

install();
