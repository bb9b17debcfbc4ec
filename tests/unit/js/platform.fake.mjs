// A platform that is all test: what the supervisor page listens to, and what it sends, is at hand.

/** @type {any[]} */
export const connectListeners = [];
/** @type {any[]} */
export const messageListeners = [];
/** @type {any[]} */
export const broadcasts = [];
/** @type {{answers: any[], calls: any[], backgroundUrl: string}} */
export const executor = { answers: [], calls: [], backgroundUrl: "x://me/js/background.js" };

export const BROWSER = "chrome";
export const CAPABILITIES = { cdp: false };
export const HOST_IS_BACKGROUND = false;
export const CONTENT_READS_STORAGE = false;
export const isHostPage = () => true;
export const isBackground = (/** @type {any} */ sender) => sender.url === executor.backgroundUrl;
export const broadcast = (/** @type {any} */ message) => broadcasts.push(message);
export const listen = () => {};
export const callExecutor = async (/** @type {any} */ call) => {
  executor.calls.push(call);
  return executor.answers.shift() ?? null;
};
export const api = {
  runtime: {
    id: "me",
    getURL: (/** @type {string} */ path) => `x://me/${path}`,
    onConnect: { addListener: (/** @type {any} */ listener) => connectListeners.push(listener) },
    onMessage: { addListener: (/** @type {any} */ listener) => messageListeners.push(listener) },
  },
};
