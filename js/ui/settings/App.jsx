import { useEffect } from "preact/hooks";
import { language, t } from "../i18n.js";
import { Icon, Mark, Spinner } from "../shared/icons.jsx";
import { About } from "./About.jsx";
import { General } from "./General.jsx";
import { Permissions } from "./Permissions.jsx";
import { Pictures } from "./Pictures.jsx";
import { Providers } from "./Providers.jsx";
import { Records } from "./Records.jsx";
import { boot, line, retryBoot, SECTIONS, section } from "./store.js";
import { Voice } from "./Voice.jsx";

const ICONS = {
  providers: "plug",
  pictures: "image",
  voice: "microphone",
  permissions: "shield",
  general: "settings",
  records: "clock",
  about: "info",
};

export function App() {
  useEffect(() => {
    document.title = `${t("settings")} · WebBrain`;
  }, [language.value]);
  return (
    <div class="page">
      <header class="page-head">
        <Mark size={24} />
        <h1>
          WebBrain <span>{t("settings")}</span>
        </h1>
        <nav aria-label={t("sections")}>
          <ul>
            {SECTIONS.map((name) => (
              <li key={name}>
                <a href={`#${name}`} aria-current={section.value === name ? "page" : undefined}>
                  <Icon name={ICONS[name]} />
                  {t(name)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main>
        <Line />
        {section.value === "providers" && <Providers />}
        {section.value === "pictures" && <Pictures />}
        {section.value === "voice" && <Voice />}
        {section.value === "permissions" && <Permissions />}
        {section.value === "general" && <General />}
        {section.value === "records" && <Records />}
        {section.value === "about" && <About />}
      </main>
    </div>
  );
}

/** What keeps the page from working, if anything. */
function Line() {
  if (line.value === "invalidated")
    return (
      <div class="result result-warn" role="alert">
        <Icon name="retry" />
        <div>
          <p>
            <strong>{t("reload_title")}</strong>
          </p>
          <button type="button" class="button primary" onClick={() => location.reload()}>
            {t("reload")}
          </button>
        </div>
      </div>
    );
  if (line.value === "reconnecting")
    return (
      <p class="result" role="status">
        <Spinner />
        <span>{t("reconnecting")}</span>
      </p>
    );
  if (boot.value?.state === "failed" && section.value !== "about")
    return (
      <div class="result result-bad" role="alert">
        <Icon name="alert" />
        <div>
          <p>
            <strong>{t("boot_failed_title")}</strong>
          </p>
          <p>{boot.value.reason}</p>
          <button type="button" class="button" onClick={retryBoot}>
            {t("try_again")}
          </button>
        </div>
      </div>
    );
  return null;
}
