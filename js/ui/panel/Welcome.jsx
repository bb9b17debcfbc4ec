import { t } from "../i18n.js";
import { Icon, Mark } from "../shared/icons.jsx";
import { Servers } from "../shared/Servers.jsx";
import { scanServers, useServer } from "./line.js";
import { setDraft } from "./sending.js";
import { view } from "./state.js";
import { openSettings } from "./tabs.js";

const EXAMPLES = ["example_summary", "example_find", "example_options"];

/** An empty conversation: what this is, what the two modes do, and something to begin with. */
export function Welcome() {
  const current = view.value;
  const needsModel = Boolean(current?.loaded && !current.provider);
  return (
    <section class="welcome" aria-labelledby="welcome-title">
      <div class="welcome-mark">
        <Mark size={34} />
      </div>
      <h2 id="welcome-title">{t("welcome_title")}</h2>
      {needsModel ? <ChooseModel /> : <p class="welcome-lead">{t("welcome_lead")}</p>}
      {needsModel && <Servers scan={scanServers} use={useServer} auto={true} />}
      <dl class="modes-explained">
        <div class="mode-ask">
          <dt>
            <Icon name="read" /> {t("mode_ask")}
          </dt>
          <dd>{t("mode_ask_text")}</dd>
        </div>
        <div class="mode-act">
          <dt>
            <Icon name="pointer" /> {t("mode_act")}
          </dt>
          <dd>{t("mode_act_text")}</dd>
        </div>
      </dl>
      {!needsModel && (
        <ul class="examples" aria-label={t("examples")}>
          {EXAMPLES.map((key) => (
            <li key={key}>
              <button
                type="button"
                class="example"
                onClick={() => {
                  setDraft(t(key));
                  document.getElementById("composer")?.focus();
                }}
              >
                <span>{t(key)}</span>
                <Icon name="chevron" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ChooseModel() {
  return (
    <div class="choose">
      <p>{t("choose_text")}</p>
      <button
        type="button"
        id="choose-model"
        class="button primary wide"
        onClick={() => openSettings("providers")}
      >
        {t("choose_model")}
      </button>
    </div>
  );
}
