import { render } from "preact";
import { setLanguage } from "./i18n.js";
import { App } from "./settings/App.jsx";
import { start } from "./settings/store.js";

start();
await setLanguage();
render(<App />, /** @type {HTMLElement} */ (document.getElementById("app")));
