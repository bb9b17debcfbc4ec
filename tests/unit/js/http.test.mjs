// The streaming fetch against a real server on this machine.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before as beforeAll, test } from "node:test";
import { abort, send } from "../../../js/bridge/http.js";

/** @type {import("node:http").Server} */
let server;
let base = "";
/** @type {any[]} */
const requests = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      requests.push({ method: request.method, headers: request.headers, body });
      if (request.url === "/silent") return;
      if (request.url === "/redirect")
        return void response.writeHead(307, { location: `${base}/other` }).end();
      response.writeHead(200, {
        "content-type": "text/event-stream",
        ...(request.url === "/cut" && { "content-length": 99 }),
      });
      response.write("one");
      if (request.url === "/cut") return void setTimeout(() => response.destroy(), 20);
      if (request.url === "/stall") return;
      setTimeout(() => response.end("two"), 20);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  base = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

let count = 0;

/** @param {string} path @param {object} [more] @param {ArrayBuffer} [body] */
async function fetched(path, more = {}, body = undefined) {
  const id = `p${++count}`;
  /** @type {any[]} */
  const chunks = [];
  /** @type {(value?: unknown) => void} */
  let end = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const params = {
    method: "GET",
    url: base + path,
    headers: {},
    headersTimeoutMs: 5_000,
    stallTimeoutMs: 5_000,
    ...more,
  };
  const { head, begin } = await send(id, params, body, (frame, buffers) => {
    chunks.push(...buffers.map((buffer) => Buffer.from(buffer).toString()), frame);
    if (frame.done || frame.error) end();
  });
  await new Promise(setImmediate);
  assert.equal(chunks.length, 0, "nothing comes before the head was passed on");
  begin();
  return { id, head, chunks, ended };
}

test("head first, then pieces, then the end", async () => {
  const { id, head, chunks, ended } = await fetched("/");
  assert.equal(head.status, 200);
  assert.equal(head.stream, id);
  assert.equal(head.headers["content-type"], "text/event-stream");
  await ended;
  assert.equal(chunks.filter((part) => typeof part === "string").join(""), "onetwo");
  assert.deepEqual(chunks.at(-1), { done: true });
});

test("a body travels as bytes", async () => {
  await (await fetched("/", { method: "POST" }, new TextEncoder().encode("gr\u00fc\u00df").buffer)).ended;
  assert.equal(requests.at(-1).body, "gr\u00fc\u00df");
});

test("no answer in time", async () => {
  await assert.rejects(fetched("/silent", { headersTimeoutMs: 30 }), { code: "net_timeout" });
});

test("an answer that stops", async () => {
  const { chunks, ended } = await fetched("/stall", { stallTimeoutMs: 30 });
  await ended;
  assert.equal(chunks[0], "one");
  assert.equal(chunks.at(-1).error.code, "net_stalled");
});

test("a connection that breaks", async () => {
  const { chunks, ended } = await fetched("/cut");
  await ended;
  assert.equal(chunks.at(-1).error.code, "net_cut");
});

test("nobody listens", async () => {
  await assert.rejects(fetched("", { url: "http://127.0.0.1:1/" }), { code: "net_refused" });
});

test("stopping ends the transfer", async () => {
  const { id, chunks, ended } = await fetched("/stall");
  abort(id);
  await ended;
  assert.equal(chunks.at(-1).error.code, "cancelled");
  abort(id);
});

test("a redirect is not followed with the keys in its headers", async () => {
  const before = requests.length;
  // A browser hides the answer's head, and it is refused; Node shows it. Neither may ask the other address.
  await fetched("/redirect", { method: "POST" }).then(
    ({ head }) => assert.equal(head.status, 307),
    (error) => assert.equal(error.code, "net_refused"),
  );
  assert.equal(requests.length, before + 1);
});

test("a redirect is followed when that is asked for, and the head says where it led", async () => {
  const { head } = await fetched("/redirect", { follow: true });
  assert.deepEqual([head.status, head.url], [200, `${base}/other`]);
  assert.equal((await fetched("/")).head.url, `${base}/`);
});

for (const wrong of [
  { follow: "yes" },
  { redirect: "follow" },
  { url: "ftp://x/" },
  { url: "data:text/plain,x" },
  { method: "TRACE" },
  { headersTimeoutMs: 0 },
  { extra: 1 },
]) {
  test(`refused: ${JSON.stringify(wrong)}`, async () => {
    await assert.rejects(fetched("/", wrong), { code: "bad_params" });
  });
}
