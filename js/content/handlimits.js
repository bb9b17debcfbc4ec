/**
 * Caps and times of the actions, beside each other. Times in milliseconds, sizes in UTF-16 units.
 */

/** Searching by text: characters kept of one element's text; candidates listed; look-alikes named in an error. */
export const SEARCH_CHARS = 300;
export const CANDIDATES = 6;
export const LOOKALIKES = 4;
/** A text that is not found is looked for again after scrolling, for pages that load as one goes. */
export const SCROLL_RETRIES = 3;
export const SCROLL_SHARE = 0.7;
export const SCROLL_LOAD_MS = 150;
/** A press on the same element so soon after the last one is pointed out. */
export const REPEAT_MS = 60_000;

/** A click without an effect is watched this much longer before it counts as one. */
export const SECOND_LOOK_MS = 220;
/** How long a switch has to take its new state. */
export const SWITCH_MS = 80;

export const DRAG_STEPS = 10;
export const DRAG_STEPS_MAX = 60;
export const DRAG_STEP_MS = 8;

/** Files put into the page: bytes of all together, pieces of one, uploads under way, how long one may stand unfinished. */
export const UPLOAD_BYTES = 25 * 1024 * 1024;
export const UPLOAD_PIECES = 200;
export const UPLOADS = 5;
export const UPLOAD_IDLE_MS = 120_000;
export const UPLOAD_SHOWN_MS = 400;

/** Aims that wait for the debugger's input, and how long one waits. */
export const AIMS = 5;
export const AIM_MS = 30_000;
/** Matches named when a selector means several elements of a frame. */
export const FRAME_MATCHES = 25;
