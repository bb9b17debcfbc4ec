// The ways out of a Worker other than the bridge. They are closed before Python starts, so that the allow-list and
// the egress guard, which stand on the far side of the bridge, cannot be walked around.

/** @param {string} list @returns {string[]} */
const words = (list) => list.trim().split(/\s+/);

/** Globals that reach the network, storage, other contexts, or a fresh global scope that would have them all again. */
export const DOORS = words(`
  fetch fetchLater XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource importScripts
  Worker SharedWorker BroadcastChannel RTCPeerConnection FontFace fonts indexedDB caches cookieStore
  localStorage sessionStorage Notification webkitRequestFileSystem webkitRequestFileSystemSync
  webkitResolveLocalFileSystemURL webkitResolveLocalFileSystemSyncURL postMessage
`);

/** The same, behind `navigator`. */
export const NAVIGATOR_DOORS = words(`
  sendBeacon serviceWorker storage storageBuckets webkitTemporaryStorage webkitPersistentStorage usb
  serial hid bluetooth
`);

/**
 * Remove names from an object and from everything it inherits from, so that no prototype gives them back.
 * @param {object} object @param {string[]} names @returns {string[]} Names that could not be removed.
 */
export function remove(object, names) {
  for (let owner = object; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const name of names) {
      if (Object.hasOwn(owner, name)) Reflect.deleteProperty(owner, name);
    }
  }
  return names.filter((name) => name in object);
}

/** @param {object} scope The Worker's global scope. Throws if a door stays open: then Python must not start. */
export function closeDoors(scope) {
  const left = remove(scope, DOORS);
  const navigator = /** @type {{navigator?: object}} */ (scope).navigator;
  if (navigator) left.push(...remove(navigator, NAVIGATOR_DOORS));
  if (left.length) throw new Error(`These could not be taken away from the Worker: ${left.join(", ")}.`);
}
