/**
 * Every cap, window and budget of the content scripts, beside its peers.
 *
 * Sizes are UTF-16 units, times milliseconds. What a page may cost us is bounded here: no string, list or walk of this
 * folder is longer than one of these numbers.
 */

/** Characters of an accessible name in a tree line. */
export const NAME_CHARS = 100;
/** Characters of a field's value in a tree of the whole page, and of one in the tree anchored at that field. */
export const VALUE_CHARS = 60;
export const ANCHORED_VALUE_CHARS = 2_000;
/** Characters of an address or of any other attribute in a tree line. */
export const HREF_CHARS = 120;
export const ATTRIBUTE_CHARS = 60;
/** Characters of a class list given as a hint. */
export const CLASS_CHARS = 120;
/** How much of an attribute or text node is looked at at all: what lies behind is never shown anyway. */
export const RAW_CHARS = 4_000;
/** Characters of the surroundings that tell two equal controls apart. */
export const CONTEXT_CHARS = 40;

/** Elements one tree may visit, and its time; beyond either it is cut and says so. */
export const TREE_NODES = 60_000;
export const TREE_MS = 1_500;
/** Nesting that is still followed (each level costs several calls of the stack, and parsers nest no deeper), frames entered. */
export const DOM_DEPTH = 500;
export const TREE_FRAMES = 50;
/** Characters of the whole tree kept for paging. */
export const TREE_CHARS = 400_000;
/** Hit tests one tree may spend on finding covered controls. */
export const TREE_HIT_TESTS = 400;
export const TREE_HIT_MS = 120;
/** Lines of a document that is not drawn by itself. */
export const UNDRAWN_LINES = 500;
/** Empty boxes and shapes of drawings one tree lists. */
export const DRAWN_BOXES = 200;
export const DRAWN_SHAPES = 300;
/** Options listed per select: in a tree of the page, and when the select is the anchor. */
export const SELECT_OPTIONS = 30;
export const ANCHORED_SELECT_OPTIONS = 300;
export const PRIORITY_CONTROLS = 20;
export const DEPTH_DEFAULT = 15;
export const DEPTH_MAX = 60;
/** Page sizes by filter, and what may be asked for. Whether 12,000 is allowed is Python's decision. */
export const PAGE_CHARS = { all: 6_000, visible: 3_000, interactive: 3_500 };
export const PAGE_CHARS_MIN = 500;
export const PAGE_CHARS_MAX = 12_000;
/** Snapshots of trees kept for later pages. */
export const SNAPSHOTS = 2;

/** Dead references whose description is kept, so that a replaced element can be named. */
export const DEAD_REFS = 2_000;
export const SUGGESTIONS = 6;

/** After an action: how long it is watched at most, at least, and how long silence means it is over. */
export const WATCH_MS = 150;
export const WATCH_MIN_MS = 60;
export const WATCH_QUIET_MS = 40;
/** The same for an action that the page has answered in words or states: two frames, and one without anything more. */
export const WATCH_ANSWERED_MS = 30;
export const WATCH_ANSWERED_QUIET_MS = 20;
/** A link whose press the page's own script took mostly leads somewhere: time for it to fetch and show that. */
export const SOFT_NAVIGATION_MS = 1_500;
/** A link or form that leaves the page is not watched to the end: the answer must get out first. */
export const WATCH_LEAVING_MS = 30;
/** Mutation records looked at per action; storms are only counted. */
export const WATCH_RECORDS = 500;
/** Lines of a `changed` list and characters of one. */
export const CHANGES = 12;
export const CHANGE_CHARS = 160;

/** Typing: characters that get key events of their own; the rest goes in as one piece. */
export const KEYED_CHARS = 400;
export const TYPE_CHARS = 200_000;
/** Between events, so that pages which listen to selection and render asynchronously keep up. */
export const TICK_MS = 20;
/** Waiting for the suggestions of a combobox. */
export const SUGGESTION_MS = 500;
export const SUGGESTION_COUNT = 12;
export const ACTUAL_CHARS = 200;

/** read_page: text kept in all, and what one answer may hold. */
export const READ_TEXT_CHARS = 1_000_000;
export const READ_NODES = 150_000;
export const READ_LIMIT_DEFAULT = 4_000;
export const READ_LIMIT_MIN = 500;
export const READ_LIMIT_MAX = 6_000;
export const SELECTION_CHARS = 20_000;

export const WAIT_DEFAULT_MS = 5_000;
export const WAIT_MAX_MS = 30_000;
export const SELECTOR_CHARS = 1_000;

/** Shadow roots and frames a search goes into, and elements it looks at on the way. */
export const SCOPES = 1_000;
export const SCOPE_ELEMENTS = 200_000;
/** `get_interactive_elements`: entries, and options listed of one select. */
export const ELEMENTS = 150;
export const ELEMENT_OPTIONS = 10;
/** `extract_data`: tables, their rows, columns and characters of a cell; headings; images. */
export const TABLES = 10;
export const TABLE_ROWS = 60;
export const TABLE_COLUMNS = 20;
export const TABLE_CELLS = 1_000;
export const CELL_CHARS = 120;
export const HEADINGS = 200;
export const IMAGES = 50;
/** `verify_form`: fields shown. */
export const VERIFY_FIELDS = 60;
/** `find_text`: characters asked for, matches counted, characters around a match. */
export const FIND_CHARS = 500;
export const FIND_MATCHES = 1_000;
export const FIND_AROUND = 80;
/** Shadow roots described, matches of a query in them, and matches of a reading in a frame. */
export const SHADOW_ROOTS = 60;
export const SHADOW_MATCHES = 30;
export const FRAME_MATCHES = 25;
export const FRAME_MATCHES_MAX = 50;
export const FRAME_TEXT_CHARS = 3_000;
/** `wait_for_stable`: how long at most, how long silence must last, how often what fires no event is looked at. */
export const STABLE_DEFAULT_MS = 5_000;
export const STABLE_MAX_MS = 20_000;
export const QUIET_DEFAULT_MS = 500;
export const QUIET_MAX_MS = 3_000;
export const STABLE_LOOK_MS = 100;
/**
 * Submit probes: fields reported (a card shows twelve and counts the rest, of the fields of a form that are looked at),
 * and characters of each value, as many as a card shows; what is missing of it is counted.
 */
export const PROBE_FIELDS = 40;
export const FORM_FIELDS = 500;
export const CARD_LABEL_CHARS = 60;
export const CARD_VALUE_CHARS = 1_000;
/** Submit tokens remembered. */
export const TOKENS = 20;

/** One action may take this long before it is answered with `timeout`. */
export const ACTION_MS = 20_000;
/** The whole answer, as JSON. A larger one is replaced by an error: it would mean a missing cap. */
export const ANSWER_CHARS = 200_000;
