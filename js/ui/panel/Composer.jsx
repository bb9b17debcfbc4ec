import { useLayoutEffect, useRef } from "preact/hooks";
import { elapsed, hostOf } from "../format.js";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { AttachButton, Chips, pasteFiles } from "./Attachments.jsx";
import { basketOf } from "./attachments.js";
import { Commands } from "./Commands.jsx";
import { chosen, commandKey, isCommand, offers, typed } from "./commands.js";
import { draftOf } from "./drafts.js";
import { editQueued, send, setDraft, stop } from "./sending.js";
import { blocked, busy, outgoing, queue, running, tab, view, waitingCard } from "./state.js";
import { setMode } from "./store.js";
import { openSettings } from "./tabs.js";
import { VoiceButton, VoiceNote } from "./Voice.jsx";
import { useNow } from "./waiting.js";

const MAX_HEIGHT_PX = 120;
const TICK_MS = 500;

/** What the agent is doing, for how long, and the way to stop it. */
export function Activity() {
  return busy.value ? <Doing /> : null;
}

function Doing() {
  const turn = running.value;
  const stopping = Boolean(view.value?.stopping);
  return (
    <section class="activity" aria-label={t("activity")}>
      {waitingCard.value ? <Icon name="unknown" /> : <Spinner />}
      <span class="activity-text">{stopping ? t("stopping") : activityText()}</span>
      {turn && !waitingCard.value && (
        <span class="activity-time" aria-hidden="true">
          <Since start={turn.startedAt} />
        </span>
      )}
      <button
        type="button"
        id="stop"
        class="button stop"
        disabled={stopping}
        title={t("stop_title")}
        onClick={stop}
      >
        <Icon name="stop" size={12} />
        {t("stop")}
      </button>
    </section>
  );
}

/** @param {{start: number}} props */
function Since({ start }) {
  return elapsed(useNow(TICK_MS) - start);
}

/** @returns {string} */
function activityText() {
  const turn = running.value;
  if (!turn)
    return outgoing.value.some((out) => out.state === "queued")
      ? t("activity_queued")
      : t("activity_sending");
  if (waitingCard.value) return t("activity_card");
  if (turn.waiting) return t("activity_waiting");
  const last = turn.items.at(-1);
  if (last?.kind === "tool" && last.state === "running") return last.label;
  if (last?.kind === "text" && last.streaming) return t("activity_writing");
  if (turn.planning) return t("activity_planning");
  return turn.step > 1 ? t("activity_step", { step: turn.step }) : t("activity_thinking");
}

export function Composer() {
  const box = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const text = draftOf(tab.value?.id);
  const empty = text.trim() === "" && basketOf(tab.value?.id).files.length === 0;
  const reason = blocked.value;
  const mode = view.value?.mode === "ask" || !view.value ? "ask" : "act";
  const fixed = reason === "blocked_reload" || reason === "blocked_gone";

  useLayoutEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, MAX_HEIGHT_PX)}px`;
    area.style.overflowY = area.scrollHeight > MAX_HEIGHT_PX ? "auto" : "hidden";
  }, [text]);

  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (commandKey(event)) return;
    const last = queue.value.at(-1);
    if (event.key === "ArrowUp" && text === "" && last) {
      event.preventDefault();
      void editQueued(last);
    }
    // While a word is being composed (Chinese, Japanese, ...), Enter chooses the word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      class={`composer mode-${mode}`}
      aria-label={t("composer")}
      onPaste={pasteFiles}
      onSubmit={(event) => {
        event.preventDefault();
        send();
        box.current?.focus();
      }}
    >
      <TabLine />
      <Commands />
      <div class="composer-box">
        <Chips />
        <textarea
          ref={box}
          id="composer"
          rows={1}
          dir="auto"
          value={text}
          disabled={fixed}
          placeholder={t(mode === "ask" ? "placeholder_ask" : "placeholder_act")}
          aria-label={t("composer")}
          aria-describedby="composer-note"
          aria-controls={offers.value.length ? "command-list" : undefined}
          aria-activedescendant={offers.value.length ? `command-${chosen.value}` : undefined}
          onInput={(event) => {
            setDraft(event.currentTarget.value);
            typed(event.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
        />
        <div class="composer-bar">
          <ModeSwitch mode={mode} disabled={busy.value || fixed} />
          <AttachButton disabled={fixed} />
          <VoiceButton disabled={fixed} />
          <button
            type="submit"
            id="send"
            class="send"
            disabled={(reason !== "" && !isCommand(text)) || empty}
            title={t(reason || (running.value ? "queue_add" : "send"))}
            aria-label={t(running.value ? "queue_add" : "send")}
          >
            <Icon name="send" />
          </button>
        </div>
      </div>
      <VoiceNote />
      <p id="composer-note" class="composer-note">
        {reason === "blocked_no_provider" ? (
          <button type="button" class="link-button" onClick={() => openSettings("providers")}>
            {t(reason)}
          </button>
        ) : (
          t(reason || hint())
        )}
      </p>
    </form>
  );
}

/** @returns {string} key of what Enter does now */
function hint() {
  if (waitingCard.value) return "blocked_card";
  return running.value ? "queue_hint" : "composer_hint";
}

/** Which tab it is about; with several tabs open this is the question people ask. */
function TabLine() {
  const current = tab.value;
  if (!current || (!current.url && !current.title)) return null;
  const host = hostOf(current.url);
  return (
    <p class="tab-line" title={`${current.title}\n${current.url}`}>
      <Icon name="globe" size={12} />
      <span class="visually-hidden">{t("this_tab")} </span>
      <span class="tab-host">{host}</span>
      {current.title && current.title !== host && <span class="tab-title">{current.title}</span>}
    </p>
  );
}

/**
 * @param {{mode: string, disabled: boolean}} props
 */
function ModeSwitch({ mode, disabled }) {
  return (
    <fieldset class="mode-switch" disabled={disabled} title={disabled ? t("mode_fixed") : undefined}>
      <legend class="visually-hidden">{t("mode")}</legend>
      {
        /** @type {const} */ (["ask", "act"]).map((name) => (
          <label key={name} class={`mode-option mode-${name}`} title={t(`mode_${name}_text`)}>
            <input
              type="radio"
              name="mode"
              value={name}
              checked={mode === name}
              onChange={() => setMode(name)}
            />
            <Icon name={name === "ask" ? "read" : "pointer"} size={14} />
            <span>{t(`mode_${name}`)}</span>
          </label>
        ))
      }
    </fieldset>
  );
}
