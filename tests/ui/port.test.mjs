import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Connection, PortError } from "../../js/ui/port.js";

/** A browser whose supervisor can be silent, broken or gone. */
function fakeBrowser() {
  /** @type {any[]} */
  const ports = [];
  const ext = {
    ensure: /** @type {any} */ ({ ok: true }),
    ports,
    silent: false,
    runtime: /** @type {any} */ ({
      id: "x",
      lastError: undefined,
      sendMessage: async () => ext.ensure,
      connect: () => {
        const heard = /** @type {any[]} */ ([]);
        const broken = /** @type {any[]} */ ([]);
        const port = {
          sent: /** @type {any[]} */ ([]),
          onMessage: { addListener: (/** @type {any} */ f) => heard.push(f) },
          onDisconnect: { addListener: (/** @type {any} */ f) => broken.push(f) },
          disconnect: () => {},
          postMessage: (/** @type {any} */ frame) => {
            port.sent.push(frame);
            if (frame.method === "boot.status" && !ext.silent)
              port.reply(frame, { state: "ready", epoch: 1 });
          },
          reply: (/** @type {any} */ frame, /** @type {any} */ result) =>
            port.hear({ target: "ui", kind: "reply", id: frame.id, result }),
          hear: (/** @type {any} */ frame) => {
            for (const f of heard) f(frame);
          },
          break: () => {
            for (const f of broken) f(port);
          },
        };
        ports.push(port);
        return port;
      },
    }),
  };
  return ext;
}

function connect(ext = fakeBrowser()) {
  /** @type {any[]} */
  const events = [];
  /** @type {string[]} */
  const states = [];
  const line = new Connection({
    ext,
    onEvent: (method, params) => events.push([method, params]),
    onState: (state) => states.push(state),
  });
  line.open();
  return { ext, line, events, states };
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

test("calls wait for the line, then go out and get their own answers", async () => {
  const { ext, line, states } = connect();
  const first = line.call("panel.open", { tabId: 1 });
  const second = line.call("settings.get");
  await settle();
  assert.deepEqual(states, ["connected"]);
  const [, a, b] = ext.ports[0].sent;
  assert.deepEqual([a.kind, a.method, a.params], ["call", "panel.open", { tabId: 1 }]);
  ext.ports[0].reply(b, "two");
  ext.ports[0].reply(a, "one");
  assert.deepEqual(await Promise.all([first, second]), ["one", "two"]);
});

test("an error frame becomes an error with its code", async () => {
  const { ext, line } = connect();
  await settle();
  const call = line.call("chat.start", {});
  ext.ports[0].hear({ kind: "error", id: ext.ports[0].sent[1].id, error: { code: "busy", message: "No." } });
  await assert.rejects(
    call,
    (error) => error instanceof PortError && error.code === "busy" && error.message === "No.",
  );
});

test("after a break, questions are asked again and effects are not", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { ext, line, states } = connect();
  await settle();
  const question = line.call("panel.open", { tabId: 1 });
  const effect = line.call("chat.start", { text: "x" });
  ext.ports[0].break();
  await assert.rejects(effect, { code: "disconnected" });
  mock.timers.tick(250);
  await settle();
  assert.deepEqual(states, ["connected", "reconnecting", "connected"]);
  assert.deepEqual(
    ext.ports[1].sent.map((/** @type {any} */ frame) => frame.method),
    ["boot.status", "panel.open"],
  );
  ext.ports[1].reply(ext.ports[1].sent[1], "again");
  assert.equal(await question, "again");
  mock.timers.reset();
});

test("it backs off 250, 500, 1000, 2000, 4000 and stays there", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { ext } = connect();
  await settle();
  let tries = 0;
  ext.runtime.sendMessage = async () => {
    tries += 1;
    return { ok: false };
  };
  ext.ports[0].break();
  for (const [index, delay] of [250, 500, 1000, 2000, 4000, 4000].entries()) {
    mock.timers.tick(delay - 1);
    await settle();
    assert.equal(tries, index, `not before ${delay} ms`);
    mock.timers.tick(1);
    await settle();
    assert.equal(tries, index + 1);
  }
  mock.timers.reset();
});

test("it says why it broke until it stands again", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { ext, line } = connect();
  await settle();
  ext.runtime.sendMessage = async () => ({ ok: false, error: "No SW" });
  ext.ports[0].break();
  assert.equal(line.reason, "");
  mock.timers.tick(250);
  await settle();
  assert.equal(line.reason, "No SW");
  ext.runtime.sendMessage = async () => ({ ok: true });
  line.retryNow();
  await settle();
  assert.equal(line.state, "connected");
  assert.equal(line.reason, "");
  mock.timers.reset();
});

test("a line on which nobody answers is no line", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const ext = fakeBrowser();
  ext.silent = true;
  const { states } = connect(ext);
  await settle();
  assert.deepEqual(states, []);
  mock.timers.tick(5000);
  await settle();
  assert.deepEqual(states, ["reconnecting"]);
  mock.timers.reset();
});

test("a page that outlived its extension says so, and its calls fail", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { ext, line, states } = connect();
  await settle();
  const open = line.call("panel.open", {});
  ext.runtime.id = undefined;
  ext.ports[0].break();
  mock.timers.tick(250);
  await settle();
  assert.equal(states.at(-1), "invalidated");
  await assert.rejects(open, { code: "invalidated" });
  await assert.rejects(line.call("settings.get"), { code: "invalidated" });
  mock.timers.reset();
});

test("frames of a line that broke are not listened to", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { ext, events } = connect();
  await settle();
  ext.ports[0].break();
  mock.timers.tick(250);
  await settle();
  const before = events.length;
  const told = { kind: "events", events: [{ method: "agent_update", params: {} }, { method: "boot" }] };
  ext.ports[0].hear(told);
  assert.equal(events.length, before);
  ext.ports[1].hear(told);
  assert.deepEqual(
    events.slice(before).map(([method]) => method),
    ["agent_update", "boot"],
  );
  mock.timers.reset();
});

test("a call with a time-out carries its deadline and ends", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { ext, line } = connect();
  await settle();
  const call = line.call("mode.set", {}, { timeoutMs: 1000 });
  assert.equal(ext.ports[0].sent[1].deadline, Date.now() + 1000);
  mock.timers.tick(1000);
  await assert.rejects(call, { code: "timeout" });
  mock.timers.reset();
});

/** Let what is under way go on; the clock of these tests may stand still. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** @param {() => boolean} condition */
async function until(condition) {
  for (let n = 0; !condition(); n++) {
    assert.ok(n < 1_000, "it never came");
    await settled();
  }
}

test("files go before their call, in small pieces", async () => {
  const { ext, line } = connect();
  await settled();
  const bytes = new Uint8Array(1_000_000).map((_, i) => i % 251);
  const answer = line.call(
    "chat.start",
    { files: [{ buffer: 0 }, { buffer: 1 }] },
    {
      files: [new Blob([bytes]), new Blob(["two"])],
    },
  );
  const port = ext.ports[0];
  await until(() => port.sent.some((/** @type {any} */ frame) => frame.method === "chat.start"));
  const frames = port.sent.slice(1);
  const chunks = frames.slice(0, -1);
  const call = frames.at(-1);
  assert.equal(call.buffers, 2);
  assert.ok(chunks.every((/** @type {any} */ frame) => frame.kind === "chunk" && frame.id === call.id));
  assert.ok(chunks.every((/** @type {any} */ frame) => frame.data.length <= 640_000));
  const of = (/** @type {number} */ file) =>
    chunks
      .filter((/** @type {any} */ frame) => frame.file === file)
      .map((/** @type {any} */ frame) => atob(frame.data))
      .join("");
  assert.equal(of(0), [...bytes].map((b) => String.fromCharCode(b)).join(""));
  assert.equal(of(1), "two");
  port.reply(call, { ok: true });
  assert.deepEqual(await answer, { ok: true });
});

test("a line that breaks while files go fails the call and sends no more of it", async () => {
  const { ext, line } = connect();
  await settled();
  const port = ext.ports[0];
  const post = port.postMessage;
  port.postMessage = (/** @type {any} */ frame) => {
    post(frame);
    if (frame.kind === "chunk") port.break();
  };
  const answer = line.call("chat.start", {}, { files: [new Blob([new Uint8Array(5_000_000)])] });
  await assert.rejects(answer, { code: "disconnected" });
  for (let n = 0; n < 20; n++) await settled();
  assert.equal(port.sent.filter((/** @type {any} */ frame) => frame.kind === "chunk").length, 1);
  assert.ok(!port.sent.some((/** @type {any} */ frame) => frame.method === "chat.start"));
});
