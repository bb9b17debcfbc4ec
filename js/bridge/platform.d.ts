// The build copies platform.chrome.js or platform.firefox.js to platform.js; both have these exports.
export * from "./platform.chrome.js";
