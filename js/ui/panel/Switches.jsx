import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { call } from "./line.js";
import { asks, view } from "./state.js";

/** What is switched so that less is asked than usual: it stays in sight, with the way back. */
export function Switches() {
  const current = view.value;
  const acts = current?.loaded && current.mode !== "ask";
  return (
    <>
      {acts && !asks.value && (
        <section class="strip strip-warn" role="status" data-switch="gate">
          <Icon name="alert" />
          <p>
            <strong>{t("gate_off")}</strong> {t("gate_off_text")}
          </p>
          <button type="button" class="link-button" data-action="ask-again" onClick={askAgain}>
            {t("gate_on")}
          </button>
        </section>
      )}
      {current?.allowApi && (
        <section class="strip" role="status" data-switch="api">
          <Icon name="plug" />
          <p>{t("api_on")}</p>
          <button type="button" class="link-button" data-action="api-off" onClick={apiOff}>
            {t("api_off")}
          </button>
        </section>
      )}
    </>
  );
}

const askAgain = () =>
  call("settings.set", { values: { askBeforeConsequentialActions: true } }).catch(() => {});

const apiOff = () => {
  const tabId = view.value?.tabId;
  if (tabId !== undefined) void call("commands.run", { tabId, text: "/allow-api --off" }).catch(() => {});
};
