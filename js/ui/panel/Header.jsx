import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon, Mark } from "../shared/icons.jsx";
import { beginAnew } from "./commands.js";
import { closeHistory, historyShown, openHistory } from "./history.js";
import { line } from "./line.js";
import { ModelMenu } from "./ModelMenu.jsx";
import { useDismiss } from "./popover.js";
import { boot, busy, view } from "./state.js";
import { openSettings } from "./tabs.js";

/** The model in use, a new conversation, the settings. */
export function Header() {
  const [asking, setAsking] = useState(false);
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const current = view.value;
  const hasContent = Boolean(current && (current.conversation.turns.length || current.outgoing.length));
  const close = useCallback(() => setAsking(false), []);
  // What was said stays in the history, so only a task that would be stopped is worth a question.
  const onNew = () => (busy.value ? setAsking(!asking) : void begin());
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
          onClick={onNew}
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
      {asking && hasContent && <ConfirmClear opener={opener} onClose={close} />}
    </header>
  );
}

/** A new conversation, and the message box to begin it in. */
async function begin() {
  if (await beginAnew()) historyShown.value = false;
  // It may be drawn only now.
  setTimeout(() => document.getElementById("composer")?.focus());
}

function ModelButton() {
  const [open, setOpen] = useState(false);
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const close = useCallback(() => {
    setOpen(false);
    opener.current?.focus();
  }, []);
  const current = view.value;
  const status = modelStatus();
  const provider = current?.provider;
  const name = provider ? provider.model || provider.label : current?.loaded ? t("no_model") : "";
  return (
    <>
      <button
        ref={opener}
        type="button"
        id="model-button"
        class="model-button"
        title={t(`model_${status}`)}
        aria-expanded={provider ? open : undefined}
        onClick={() => (provider ? setOpen(!open) : openSettings("providers"))}
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
        {provider && <Icon name="expand" size={12} />}
      </button>
      {open && <ModelMenu opener={opener} onClose={close} />}
    </>
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
 * @param {{opener: {current: HTMLElement | null}, onClose: () => void}} props
 */
function ConfirmClear({ opener, onClose }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const first = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useEffect(() => {
    first.current?.focus();
  }, []);
  useDismiss(box, opener, onClose);
  const cancel = () => {
    onClose();
    opener.current?.focus();
  };
  return (
    <div
      ref={box}
      class="popover confirm"
      role="dialog"
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        cancel();
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
            await begin();
            onClose();
          }}
        >
          {t("clear_yes")}
        </button>
        <button type="button" class="button" onClick={cancel}>
          {t("cancel")}
        </button>
      </div>
    </div>
  );
}
