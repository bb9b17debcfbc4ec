"""What a script may leave in a page: nodes, attributes and names; observers, timers and listeners."""

from typing import Any, Final

KINDS: Final = """(() => {
  const kinds = {}, roots = [document];
  const own = (proto, name) => Object.getOwnPropertyDescriptor(proto, name).get;
  const framed = own(HTMLIFrameElement.prototype, 'contentDocument');
  const tag = own(Element.prototype, 'localName'), shadow = own(Element.prototype, 'shadowRoot');
  for (let at = 0; at < roots.length; at++) {
    const all = at && roots[at].host ? DocumentFragment.prototype.querySelectorAll.call(roots[at], '*')
      : Document.prototype.getElementsByTagName.call(roots[at], '*');
    for (let i = 0; i < all.length; i++) {
      const names = Element.prototype.getAttributeNames.call(all[i]).sort().join(' ');
      const kind = `${tag.call(all[i])} ${names}`.trim();
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      const inner = shadow.call(all[i]) ?? (/^iframe\\b/.test(kind) ? framed.call(all[i]) : null);
      if (inner) roots[roots.length] = inner;
    }
  }
  return [kinds, Object.getOwnPropertyNames(window).sort()];
})()"""
"""How often each tag with each set of attributes occurs, in open shadow roots and frames too, and the page's
global names; asked in ways that pages under test do not bend."""

GUARD: Final = """(() => {
  const alive = globalThis.alive = new Map();
  for (const name of ["MutationObserver", "PerformanceObserver", "ResizeObserver", "IntersectionObserver"]) {
    const Real = globalThis[name];
    globalThis[name] = class extends Real {
      observe(...args) { alive.set(this, name); return super.observe(...args); }
      disconnect() { alive.delete(this); return super.disconnect(); }
    };
  }
  const clocks = [["setTimeout", "clearTimeout"], ["setInterval", "clearInterval"],
    ["requestAnimationFrame", "cancelAnimationFrame"]];
  for (const [begin, end] of clocks) {
    const once = begin !== "setInterval";
    const really = globalThis[begin].bind(globalThis), stop = globalThis[end].bind(globalThis);
    globalThis[begin] = (f, ...rest) => {
      const id = really((...args) => { if (once) alive.delete(key); return f(...args); }, ...rest);
      const key = `${begin} ${id}`;
      alive.set(key, begin);
      return id;
    };
    globalThis[end] = (id) => { alive.delete(`${begin} ${id}`); return stop(id); };
  }
  const { addEventListener: add, removeEventListener: take } = EventTarget.prototype;
  const held = [];
  const same = (one, on, type, f, options) => one[0] === on && one[1] === type && one[2] === f &&
    one[3] === !!(options?.capture ?? options);
  EventTarget.prototype.addEventListener = function (type, f, options) {
    const on = this ?? globalThis;
    if (f && !held.some((one) => same(one, on, type, f, options))) {
      const one = [on, type, f, !!(options?.capture ?? options)];
      held.push(one);
      alive.set(one, `listener of ${type}`);
    }
    return add.call(on, type, f, options);
  };
  EventTarget.prototype.removeEventListener = function (type, f, options) {
    const on = this ?? globalThis;
    const at = held.findIndex((one) => same(one, on, type, f, options));
    if (at >= 0) alive.delete(held.splice(at, 1)[0]);
    return take.call(on, type, f, options);
  };
})()"""
"""From now on ``alive`` of this world holds every observer, timer and listener that began and did not end."""

ALIVE: Final = """(async () => {
  const until = performance.now() + 2000;
  while (alive.size && performance.now() < until)
    await new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(0);
    });
  return [...alive.values()];
})()"""
"""What is alive, once what ends of itself has had two seconds to do so; waits without a timer, for it would
count."""


def differences(before: Any, after: Any, *, moving: bool = False) -> list[str]:
    """What two looks by ``KINDS`` do not share. In a page that is ``moving`` numbers change, kinds do not."""
    (was, names), (now, later) = before, after
    return [
        f"{kind}: {was.get(kind, 0)} before, {now.get(kind, 0)} after"
        for kind in sorted(was.keys() | now.keys())
        if (kind in was) != (kind in now) or (not moving and was[kind] != now[kind])
    ] + [f"window.{name}" for name in sorted({*names} ^ {*later})]
