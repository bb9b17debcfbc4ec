import { render } from "preact";
import { setLanguage } from "./i18n.js";
import { App } from "./panel/App.jsx";
import { start } from "./panel/store.js";

// The line and the words load at the same time; what is drawn before is the shell in sidepanel.html.
start();
await setLanguage();
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
root.replaceChildren();
render(<App />, root);
document.getElementById("composer")?.focus();
