/**
 * A stand-in for the WebExtension API, for the screens on their own: it answers their calls from a table and plays
 * events. The table (`globalThis.wbState`) is written into the page by tests/support/ui_pages.py, before this
 * script and before the screens.
 *
 * Tests steer it through `wb`: `wb.calls` is what the screen asked, `wb.emit` sends an event, `wb.disconnect` breaks
 * the line, `wb.reply` changes an answer.
 */

(() => {
  const state = /** @type {any} */ (globalThis).wbState;
  const now = Date.now();

  /** Times in a state are milliseconds before now. */
  const dated = (/** @type {any} */ event) => {
    if (!event?.runId) return event;
    const data = { ...event.data };
    for (const key of ["until", "expiresAt"]) if (key in data) data[key] += now;
    return { ...event, at: now + event.at, data };
  };

  /** @type {Set<any>} */
  const ports = new Set();
  /** @type {any[]} */
  const calls = [];
  /** @type {Map<string, any>} */
  const replies = new Map(Object.entries(state.replies ?? {}));
  let ensure = state.ensure ?? { ok: true };
  let boot = state.boot;
  /** Answers that are made but not yet delivered. @type {(() => void)[] | null} */
  let held = null;

  function listeners() {
    /** @type {Set<any>} */
    const set = new Set();
    return {
      addListener: (/** @type {any} */ f) => set.add(f),
      removeListener: (/** @type {any} */ f) => set.delete(f),
      fire: (/** @type {any[]} */ ...args) => {
        for (const f of [...set]) f(...args);
      },
    };
  }

  /** @param {any} frame */
  function answer(frame) {
    if (frame.method === "boot.status") return { result: boot };
    const set = replies.get(frame.method);
    if (set === undefined) return { result: { ok: true, stopped: true } };
    if (set.hang) return null;
    if (set.fails) return { error: set.fails };
    const turn = set.inTurn && (set.inTurn.length > 1 ? set.inTurn.shift() : set.inTurn[0]);
    const perTab = turn ?? set.byTab?.[frame.params?.tabId] ?? set;
    if (perTab.conversations)
      return {
        result: {
          ...perTab,
          conversations: perTab.conversations.map((/** @type {any} */ row) => ({
            ...row,
            startedAt: now + row.startedAt,
            updatedAt: now + row.updatedAt,
          })),
        },
      };
    if (frame.method !== "panel.open") return { result: perTab };
    return { result: { ...perTab, events: (perTab.events ?? []).map(dated) } };
  }

  function connect() {
    const port = {
      onMessage: listeners(),
      onDisconnect: listeners(),
      disconnect: () => ports.delete(port),
      postMessage: (/** @type {any} */ frame) => {
        if (!ports.has(port)) throw new Error("Attempting to use a disconnected port object");
        calls.push(frame);
        if (frame.kind === "chunk") return;
        const found = answer(frame);
        if (!found) return;
        const kind = found.error ? "error" : "reply";
        const deliver = () => {
          if (ports.has(port))
            port.onMessage.fire(structuredClone({ target: "ui", epoch: 1, kind, id: frame.id, ...found }));
        };
        if (held) held.push(deliver);
        else setTimeout(deliver);
      },
    };
    ports.add(port);
    return port;
  }

  const wb = {
    calls,
    ports,
    emit(/** @type {string} */ method, /** @type {any} */ params) {
      if (method === "boot") boot = params;
      for (const port of ports)
        port.onMessage.fire(
          structuredClone({
            target: "ui",
            epoch: 1,
            kind: "events",
            events: [{ method, params: dated(params) }],
          }),
        );
    },
    disconnect() {
      for (const port of [...ports]) {
        ports.delete(port);
        port.onDisconnect.fire(port);
      }
    },
    reply: (/** @type {string} */ method, /** @type {any} */ value) => replies.set(method, value),
    ensure: (/** @type {any} */ value) => {
      ensure = value;
    },
    activate(/** @type {number} */ tabId) {
      for (const tab of state.tabs) tab.active = tab.id === tabId;
      tabs.onActivated.fire({ tabId, windowId: 1 });
    },
    holdReplies: () => {
      held = [];
    },
    releaseReplies: () => {
      for (const deliver of held ?? []) deliver();
      held = null;
      wb.released = true;
    },
    released: false,
    restarts: 0,
    opened: /** @type {string[]} */ ([]),
    inTab: true,
  };

  const tabs = {
    onActivated: listeners(),
    onUpdated: listeners(),
    onRemoved: listeners(),
    get: async (/** @type {number} */ id) => {
      const found = state.tabs.find((/** @type {any} */ tab) => tab.id === id);
      if (!found) throw new Error(`No tab with id: ${id}.`);
      return found;
    },
    query: async (/** @type {any} */ filter) => {
      if (filter.url) return [];
      return state.tabs.filter((/** @type {any} */ tab) => !filter.active || tab.active);
    },
    create: async (/** @type {any} */ { url }) => wb.opened.push(url),
    /** Shown in a tab; a side panel is in none. */
    getCurrent: async () => (wb.inTab ? { id: 99 } : undefined),
    update: async () => {},
  };

  /** @type {Record<string, any>} */
  const session = { ...state.session };
  const fake = {
    runtime: {
      id: "fake",
      lastError: undefined,
      getURL: (/** @type {string} */ path) => new URL(path, location.origin).href,
      getManifest: () => ({ version: "0.1.0" }),
      sendMessage: async () => {
        if (fake.runtime.id === undefined) throw new Error("Extension context invalidated.");
        return ensure;
      },
      reload: () => {
        wb.restarts += 1;
      },
      connect,
    },
    tabs,
    windows: { getCurrent: async () => ({ id: 1 }), update: async () => {} },
    storage: {
      session: {
        get: async (/** @type {string} */ key) => (key in session ? { [key]: session[key] } : {}),
        set: async (/** @type {any} */ values) => Object.assign(session, values),
        remove: async (/** @type {string} */ key) => delete session[key],
      },
    },
    i18n: { getUILanguage: () => state.language ?? "en" },
  };
  Object.assign(globalThis, { chrome: fake, browser: undefined, wb, wbSession: session });
})();
