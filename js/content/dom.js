/**
 * The page's objects, reached in a way the page cannot bend.
 *
 * The script runs in a world of its own, so prototypes are clean; but a form whose input is called `id`, `action` or
 * `parentNode`, and a document with an image called `body`, answer with that input or image instead of the real
 * property ("DOM clobbering"). Everything generic is therefore read through the getters of the prototypes.
 */

/**
 * @template T
 * @param {object} proto
 * @param {string} name
 * @returns {(self: object) => T}
 */
export function getter(proto, name) {
  const get = accessor(proto, name);
  return (self) => get.call(self);
}

/**
 * The accessor itself. What a walk asks of every node gets a function of its own below: a shared one is called for so
 * many properties that the browser cannot specialise it, which doubles the time of a first reading.
 * @param {object} proto
 * @param {string} name
 * @returns {() => any} to be called with the node as `this`
 */
function accessor(proto, name) {
  const get = Object.getOwnPropertyDescriptor(proto, name)?.get;
  if (!get) throw new TypeError(`no accessor ${name}`);
  return get;
}

const nodeTypeOf = accessor(Node.prototype, "nodeType");
/** @type {(n: Node) => number} */
export const nodeType = (n) => nodeTypeOf.call(n);
const firstChildOf = accessor(Node.prototype, "firstChild");
/** @type {(n: Node) => Node | null} */
export const firstChild = (n) => firstChildOf.call(n);
export const firstElementChild = getter(Element.prototype, "firstElementChild");
const nextSiblingOf = accessor(Node.prototype, "nextSibling");
/** @type {(n: Node) => Node | null} */
export const nextSibling = (n) => nextSiblingOf.call(n);
/** @type {(n: Node) => Node | null} */
export const previousSibling = getter(Node.prototype, "previousSibling");
/** @type {(n: Node) => Node | null} */
export const parentNode = getter(Node.prototype, "parentNode");
/** @type {(n: Node) => boolean} */
export const isConnected = getter(Node.prototype, "isConnected");
/** @type {(n: Node) => string | null} */
export const textContent = getter(Node.prototype, "textContent");
/** What relative addresses are relative to. @type {(n: Node) => string} */
export const documentBase = getter(Node.prototype, "baseURI");
const ownerDocumentOf = accessor(Node.prototype, "ownerDocument");
/** @type {(n: Node) => Document | null} */
const ownerDocument = (n) => ownerDocumentOf.call(n);
const characterDataOf = accessor(CharacterData.prototype, "data");
/** @type {(n: CharacterData) => string} */
export const characterData = (n) => characterDataOf.call(n);
const localNameOf = accessor(Element.prototype, "localName");
/** @type {(e: Element) => string} */
export const localName = (e) => localNameOf.call(e);
const namespaceURIOf = accessor(Element.prototype, "namespaceURI");
/** @type {(e: Element) => string | null} */
export const namespaceURI = (e) => namespaceURIOf.call(e);
/** @type {(e: Element) => number} */
export const childElementCount = getter(Element.prototype, "childElementCount");
const openShadowRootOf = accessor(Element.prototype, "shadowRoot");
/** @type {(e: Element) => ShadowRoot | null} */
export const openShadowRoot = (e) => openShadowRootOf.call(e);
/** @type {(e: Element) => number} */
export const scrollTop = getter(Element.prototype, "scrollTop");
/** @type {(e: Element) => number} */
export const scrollHeight = getter(Element.prototype, "scrollHeight");
/** @type {(e: Element) => number} */
export const scrollWidth = getter(Element.prototype, "scrollWidth");
/** @type {(e: Element) => number} */
export const clientHeight = getter(Element.prototype, "clientHeight");
/** @type {(e: Element) => number} */
export const clientWidth = getter(Element.prototype, "clientWidth");
/** @type {(e: Element, to: ScrollToOptions) => void} */
export const scrollTo = (e, to) =>
  /** @type {(this: Element, to: ScrollToOptions) => void} */ (Element.prototype.scrollTo).call(e, to);
/** @type {(e: Element) => HTMLSlotElement | null} */
export const assignedSlot = getter(Element.prototype, "assignedSlot");
/** @type {(e: HTMLElement) => boolean} */
const contentEditable = getter(HTMLElement.prototype, "isContentEditable");

/** @type {(e: Element) => void} */
export const remove = (e) => Element.prototype.remove.call(e);
/** @type {(e: Element, name: string) => string | null} */
export const attribute = (e, name) => Element.prototype.getAttribute.call(e, name);
/** @type {(e: Element, name: string) => boolean} */
export const hasAttribute = (e, name) => Element.prototype.hasAttribute.call(e, name);
/** @type {(e: Element) => boolean} */
export const hasAttributes = (e) => Element.prototype.hasAttributes.call(e);
/** @type {(e: Element, selector: string) => boolean} */
export const matches = (e, selector) => Element.prototype.matches.call(e, selector);
/** In its own tree: neither out of a shadow root nor of a frame. @type {(e: Element, selector: string) => Element | null} */
export const closest = (e, selector) => Element.prototype.closest.call(e, selector);
/** @type {(e: Element) => DOMRect} */
export const rectOf = (e) => Element.prototype.getBoundingClientRect.call(e);
/** @type {(e: Element) => DOMRectList} */
export const rectsOf = (e) => Element.prototype.getClientRects.call(e);
/** @type {(e: EventTarget, event: Event) => boolean} */
export const dispatch = (e, event) => EventTarget.prototype.dispatchEvent.call(e, event);
/** @typedef {(event: any) => void} Listener */
/** @type {(on: EventTarget, type: string, listener: Listener, options: AddEventListenerOptions) => void} */
export const listen = (on, type, listener, options) =>
  EventTarget.prototype.addEventListener.call(on, type, listener, options);
/** @type {(on: EventTarget, type: string, listener: Listener, options: AddEventListenerOptions) => void} */
export const unlisten = (on, type, listener, options) =>
  EventTarget.prototype.removeEventListener.call(on, type, listener, options);

/** @type {(d: Document) => HTMLElement | null} */
const bodyOf = getter(Document.prototype, "body");
/** @type {(d: Document) => Element | null} */
const rootElement = getter(Document.prototype, "documentElement");
/** @type {(d: Document) => Element | null} */
export const scrollingElement = getter(Document.prototype, "scrollingElement");
const defaultViewOf = accessor(Document.prototype, "defaultView");
/** @type {(d: Document) => (Window & typeof globalThis) | null} */
const defaultView = (d) => defaultViewOf.call(d);
/** @type {(d: Document) => Selection | null} */
export const selectionOf = (d) => Document.prototype.getSelection.call(d);
/** @type {(d: Document) => Range} */
export const makeRange = (d) => Document.prototype.createRange.call(d);
/** @type {(root: Node) => TreeWalker} */
export const textsIn = (root) =>
  Document.prototype.createTreeWalker.call(documentOf(root), root, NodeFilter.SHOW_TEXT);
/** @type {(d: Document) => string} */
export const documentURL = getter(Document.prototype, "URL");
/** @type {(d: Document) => string} */
export const documentTitle = getter(Document.prototype, "title");
/** @type {(d: Document) => string} */
export const documentType = getter(Document.prototype, "contentType");
/** @type {(d: Document) => string} */
export const readyState = getter(Document.prototype, "readyState");
/** @type {(d: Document) => Element | null} */
const documentActive = getter(Document.prototype, "activeElement");
/** @type {(r: ShadowRoot) => Element | null} */
const shadowActive = getter(ShadowRoot.prototype, "activeElement");
/** @type {(r: ShadowRoot) => Element} */
export const hostOf = getter(ShadowRoot.prototype, "host");

/** @type {(e: HTMLFormElement) => string} */
export const formAction = getter(HTMLFormElement.prototype, "action");
/** @type {(e: HTMLFormElement) => string} */
export const formMethod = getter(HTMLFormElement.prototype, "method");
/** @type {(e: HTMLFormElement) => HTMLFormControlsCollection} */
export const formElements = getter(HTMLFormElement.prototype, "elements");
/** @type {(e: HTMLFormElement, submitter?: HTMLElement | null) => void} */
export const requestSubmit = (e, submitter) =>
  HTMLFormElement.prototype.requestSubmit.call(e, submitter ?? null);

/**
 * @param {Node} node
 * @returns {node is Element}
 */
export function isElement(node) {
  return nodeType(node) === 1;
}

/**
 * The document a node belongs to; a document is its own.
 * @param {Node} node
 * @returns {Document}
 */
export function documentOf(node) {
  return ownerDocument(node) ?? /** @type {Document} */ (node);
}

/**
 * Part of a document that is shown: an element of a frame that was removed or went elsewhere still hangs in its document,
 * but that has no window any more.
 * @param {Node} node
 * @returns {boolean}
 */
export function isAlive(node) {
  return isConnected(node) && defaultView(documentOf(node)) !== null;
}

/**
 * @param {Node} node
 * @returns {Window & typeof globalThis}
 */
export function viewOf(node) {
  return defaultView(documentOf(node)) ?? window;
}

/**
 * The element a reading starts at: the body, or whatever stands in its place in XML, SVG and half-loaded documents.
 * @param {Document} doc
 * @returns {Element | null}
 */
export function pageRoot(doc) {
  return bodyOf(doc) ?? rootElement(doc);
}

/**
 * @param {Document} doc
 * @returns {Element | null}
 */
export function documentRoot(doc) {
  return rootElement(doc);
}

/**
 * @param {Element} e
 * @returns {e is HTMLElement}
 */
export function isHTML(e) {
  return namespaceURI(e) === "http://www.w3.org/1999/xhtml";
}

/**
 * @param {Element} e
 * @returns {boolean}
 */
export function isEditable(e) {
  return isHTML(e) && contentEditable(e);
}

/** Elements that may carry a shadow root besides custom elements (DOM standard, "attach a shadow root"). */
const SHADOW_HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

/**
 * The shadow root of an element, open or closed.
 *
 * Closed roots are asked for through the browser's door for extensions. That call costs as much as all else that is asked
 * of an element, so it is made for custom elements, for childless ones, and once for each other that has an attribute by
 * which a script may have found it.
 * @param {Element} e
 * @param {string} [name] its tag, if the caller knows it
 * @returns {ShadowRoot | null}
 */
export function shadowRootOf(e, name = localName(e)) {
  const host = SHADOW_HOSTS.has(name);
  if (!host && !name.includes("-")) return null;
  const open = openShadowRoot(e);
  if (open) return open;
  const filled = host && firstChild(e) !== null;
  if (filled && (!hasAttributes(e) || rootless.has(e))) return null;
  const closed = closedShadowRoot(e);
  if (filled && !closed) rootless.add(e);
  return closed;
}

/** Elements with children that had no shadow root when they were asked. @type {WeakSet<Element>} */
const rootless = new WeakSet();

/** @param {Element} e @returns {ShadowRoot | null} */
function closedShadowRoot(e) {
  try {
    const door = /** @type {any} */ (globalThis).chrome?.dom?.openOrClosedShadowRoot;
    if (door) return door(e) ?? null;
    return /** @type {any} */ (e).openOrClosedShadowRoot ?? null;
  } catch {
    return null;
  }
}

/**
 * The document inside a frame of the same origin, `null` for one that belongs to another site or has none.
 * @param {Element} frame
 * @returns {Document | null}
 */
export function frameDocument(frame) {
  try {
    return /** @type {HTMLIFrameElement} */ (frame).contentDocument;
  } catch {
    return null;
  }
}

/**
 * The frame element a document is shown in, if the same origin may know it.
 * @param {Document} doc
 * @returns {Element | null}
 */
export function frameOf(doc) {
  try {
    return defaultView(doc)?.frameElement ?? null;
  } catch {
    return null;
  }
}

/**
 * Parent in the tree the user sees: through shadow hosts and out of slots, not out of frames.
 * @param {Node} node
 * @returns {Element | null}
 */
export function composedParent(node) {
  if (isElement(node)) {
    const slot = assignedSlot(node);
    if (slot) return slot;
  }
  const parent = parentNode(node);
  if (!parent) return null;
  if (nodeType(parent) === 11)
    return parent instanceof ShadowRoot || "host" in parent
      ? hostOf(/** @type {ShadowRoot} */ (parent))
      : null;
  return isElement(parent) ? parent : null;
}

/**
 * True if `inner` is `outer` or lies in it, shadow trees included.
 * @param {Element} outer
 * @param {Node | null} inner
 * @returns {boolean}
 */
export function composedContains(outer, inner) {
  for (let at = inner; at; at = composedParent(at)) if (at === outer) return true;
  return false;
}

/**
 * The nearest ancestor (or the element itself) that passes a test, through shadow roots.
 * @param {Element | null} start
 * @param {(e: Element) => boolean} test
 * @returns {Element | null}
 */
export function composedClosest(start, test) {
  for (let at = start; at; at = composedParent(at)) if (test(at)) return at;
  return null;
}

/**
 * The element that really has the focus, inside shadow roots and frames of the same origin.
 * @param {Document} [doc]
 * @returns {Element | null}
 */
export function deepActive(doc = document) {
  let at = documentActive(doc);
  for (let depth = 0; at && depth < 50; depth++) {
    const root = shadowRootOf(at);
    const frame = /^(iframe|frame)$/.test(localName(at)) ? frameDocument(at) : null;
    const inner = root ? shadowActive(root) : frame ? documentActive(frame) : null;
    if (!inner) break;
    at = inner;
  }
  return at;
}

/**
 * What lies on top at a point of the element's own viewport, inside shadow roots too.
 * @param {Document} doc
 * @param {number} x
 * @param {number} y
 * @returns {Element | null}
 */
export function deepElementFromPoint(doc, x, y) {
  let at = Document.prototype.elementFromPoint.call(doc, x, y);
  for (let depth = 0; at && depth < 200; depth++) {
    const root = shadowRootOf(at);
    if (!root) break;
    const inner = ShadowRoot.prototype.elementFromPoint.call(root, x, y);
    if (!inner || inner === at) break;
    at = inner;
  }
  return at;
}

/**
 * Query in a document, shadow root or element.
 * @param {ParentNode & Node} scope
 * @param {string} selector
 * @returns {Element | null}
 */
export function query(scope, selector) {
  return prototypeOf(scope).querySelector.call(scope, selector);
}

/**
 * @param {ParentNode & Node} scope
 * @param {string} selector
 * @returns {NodeListOf<Element>}
 */
export function queryAll(scope, selector) {
  return prototypeOf(scope).querySelectorAll.call(scope, selector);
}

/** @param {Node} scope @returns {Document | DocumentFragment | Element} where the browser's own queries for it are */
function prototypeOf(scope) {
  const type = nodeType(scope);
  if (type === 9) return Document.prototype;
  return type === 11 ? DocumentFragment.prototype : Element.prototype;
}

/**
 * Look an id up where the element lives: in its shadow root or its document.
 * @param {Element} near
 * @param {string} id
 * @returns {Element | null}
 */
export function byId(near, id) {
  const root = Node.prototype.getRootNode.call(near);
  if (nodeType(root) === 9) return Document.prototype.getElementById.call(root, id);
  if (nodeType(root) === 11) return DocumentFragment.prototype.getElementById.call(root, id);
  return null;
}

/**
 * Focus without the page's own `focus` property and without scrolling.
 * @param {Element} e
 */
export function focus(e) {
  const proto = isHTML(e) ? HTMLElement.prototype : SVGElement.prototype;
  try {
    proto.focus.call(e, { preventScroll: true });
  } catch {
    // Not focusable (an XML element): nothing to do.
  }
}

/**
 * A short pause that lets the page's own callbacks run.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
