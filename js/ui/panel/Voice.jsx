import { useEffect } from "preact/hooks";
import { elapsed } from "../format.js";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { forget, offered, problem, since, speak, state, write } from "./voice.js";
import { useNow } from "./waiting.js";

const TICK_MS = 500;

/**
 * The button to speak, where a transcription model is chosen.
 *
 * @param {{disabled: boolean}} props
 */
export function VoiceButton({ disabled }) {
  const now = state.value;
  useEffect(() => {
    if (now !== "recording" && now !== "asking") return;
    const stop = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      // It is for the recording, and not for the task that may run beside it.
      event.preventDefault();
      forget();
    };
    addEventListener("keydown", stop, true);
    return () => removeEventListener("keydown", stop, true);
  }, [now]);
  // The panel may be closed or its model removed while it listens.
  useEffect(() => forget, []);
  if (!offered.value && now === "idle") return null;
  if (now === "idle")
    return (
      <button
        type="button"
        id="voice"
        class="icon-button voice"
        disabled={disabled}
        title={t("voice_speak")}
        aria-label={t("voice_speak")}
        onClick={() => void speak()}
      >
        <Icon name="microphone" />
      </button>
    );
  return (
    <span class="voice-active" data-voice={now}>
      <button
        type="button"
        class="icon-button small"
        data-action="voice-cancel"
        title={t("voice_cancel")}
        aria-label={t("voice_cancel")}
        onClick={forget}
      >
        <Icon name="cross" size={14} />
      </button>
      {now === "recording" ? (
        <>
          <Elapsed />
          <button
            type="button"
            id="voice-write"
            class="voice-write"
            title={t("voice_write")}
            aria-label={t("voice_write")}
            onClick={() => void write()}
          >
            <Icon name="check" />
          </button>
        </>
      ) : (
        <span class="voice-wait">
          <Spinner />
        </span>
      )}
    </span>
  );
}

function Elapsed() {
  const now = useNow(TICK_MS);
  return (
    <span class="voice-time" aria-hidden="true">
      <span class="voice-dot" />
      {elapsed(Math.max(0, now - since.value))}
    </span>
  );
}

/** What goes on and what went wrong, in words. */
export function VoiceNote() {
  const { key, text } = problem.value;
  const now = state.value;
  const says = now === "idle" ? "" : t(`voice_${now}`);
  return (
    <>
      <span class="visually-hidden" role="status">
        {says}
      </span>
      {key && (
        <p class="voice-problem" role="alert">
          <Icon name="alert" size={13} />
          <span>{text || t(key)}</span>
          <button
            type="button"
            class="icon-button small"
            title={t("close")}
            aria-label={t("close")}
            onClick={forget}
          >
            <Icon name="cross" size={12} />
          </button>
        </p>
      )}
    </>
  );
}
