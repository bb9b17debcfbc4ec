import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon, Mark } from "../shared/icons.jsx";
import { closeHistory, historyShown, openHistory } from "./history.js";
import { line } from "./line.js";
import { boot, view } from "./state.js";
import { clearConversation } from "./store.js";
import { openSettings } from "./tabs.js";

/** The model in use, a new conversation, the settings. */
export function Header() {
  const [asking, setAsking] = useState(false);
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const current = view.value;
  const hasContent = Boolean(current && (current.conversation.turns.length || current.outgoing.length));
  const close = () => {
    setAsking(false);
    opener.current?.focus();
  };
  return (
    <header class="header">
      <Mark />
      <h1 class="visually-hidden">WebBrain</h1>
      {view.value?.gone ? <span class="brand">WebBrain</span> : <ModelButton />}
      <div class="header-actions">
        <button
          ref={opener}
          type="button"
          id="new-conversation"
          class="icon-button"
          title={t("new_conversation")}
          aria-label={t("new_conversation")}
          aria-expanded={asking}
          disabled={!hasContent}
          onClick={() => setAsking(!asking)}
        >
          <Icon name="compose" />
        </button>
        <button
          type="button"
          id="open-history"
          class="icon-button"
          title={t("history")}
          aria-label={t("history")}
          aria-pressed={historyShown.value}
          onClick={() => (historyShown.value ? closeHistory() : openHistory())}
        >
          <Icon name="history" />
        </button>
        <button
          type="button"
          id="open-settings"
          class="icon-button"
          title={t("settings")}
          aria-label={t("settings")}
          onClick={() => openSettings("general")}
        >
          <Icon name="settings" />
        </button>
      </div>
      {asking && hasContent && <ConfirmClear onClose={close} />}
    </header>
  );
}

function ModelButton() {
  const current = view.value;
  const status = modelStatus();
  const provider = current?.provider;
  const name = provider ? provider.model || provider.label : current?.loaded ? t("no_model") : "";
  return (
    <button
      type="button"
      id="model-button"
      class="model-button"
      title={t(`model_${status}`)}
      onClick={() => openSettings("providers")}
    >
      <span class={`dot dot-${status}`} aria-hidden="true" />
      {name ? (
        <span class="model-name">
          <span class="model-main">{name}</span>
          {provider?.model && <span class="model-provider">{provider.label}</span>}
        </span>
      ) : (
        <span class="model-name skeleton" aria-hidden="true" />
      )}
      <span class="visually-hidden">
        {t(`model_${status}`)}. {t("change_model")}
      </span>
    </button>
  );
}

/** @returns {"offline" | "starting" | "none" | "failed" | "ready"} */
function modelStatus() {
  const current = view.value;
  if (line.value.state === "reconnecting" || line.value.state === "invalidated") return "offline";
  if (boot.value?.state === "failed") return "offline";
  if (boot.value?.state !== "ready" || !current?.loaded) return "starting";
  if (!current.provider) return "none";
  const last = current.conversation.turns.at(-1);
  return last?.items.some((item) => item.kind === "error") ? "failed" : "ready";
}

/**
 * @param {{onClose: () => void}} props
 */
function ConfirmClear({ onClose }) {
  const first = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useEffect(() => {
    first.current?.focus();
  }, []);
  return (
    <div
      class="popover confirm"
      role="dialog"
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <p id="confirm-title" class="popover-title">
        {t("clear_title")}
      </p>
      <p id="confirm-text">{t("clear_text")}</p>
      <div class="button-row">
        <button
          ref={first}
          type="button"
          id="confirm-clear"
          class="button primary"
          onClick={async () => {
            await clearConversation().catch(() => {});
            historyShown.value = false;
            onClose();
            document.getElementById("composer")?.focus();
          }}
        >
          {t("clear_yes")}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {t("cancel")}
        </button>
      </div>
    </div>
  );
}
