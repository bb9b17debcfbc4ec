import { useEffect, useRef, useState } from "preact/hooks";
import { elapsed } from "../format.js";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { useGuard } from "./consent.js";
import { line } from "./line.js";
import { answerCard } from "./store.js";
import { isTyping, useNow } from "./waiting.js";

/** @typedef {import("../items.js").CardItem} CardItem */

/** As py/webbrain/agent/cards.py bounds it. */
const TEXT_CHARS = 2_000;
/** The answer that stands for one in the person's own words. */
const TEXT = "text";

/**
 * A question of the agent's: its answers as buttons, room for another one, and the time until the first one is taken.
 *
 * @param {{item: CardItem}} props
 */
export function Clarify({ item }) {
  return item.answer === "" ? <Open item={item} /> : <Answered item={item} />;
}

/** @param {{item: CardItem}} props */
function Open({ item }) {
  const { card, askedAt } = item;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const guard = useGuard(item.id);
  const [text, setText] = useState("");
  const [sent, setSent] = useState("");
  const [problem, setProblem] = useState("");
  const now = useNow(500);
  useEffect(() => {
    if (!isTyping()) box.current?.focus({ preventScroll: true });
  }, []);
  const left = card.seconds ? Math.ceil((askedAt + card.seconds * 1000 - now) / 1000) : 0;
  const off = sent !== "" || !guard.ready || line.value.state !== "connected";

  /**
   * @param {Event} event
   * @param {string} answer
   */
  const send = async (event, answer) => {
    if (!event.isTrusted || off) return;
    setSent(answer);
    setProblem("");
    try {
      await answerCard(item.id, answer, answer === TEXT ? text.trim() : "");
    } catch (error) {
      setSent("");
      setProblem(/** @type {Error} */ (error).message || t("card_not_sent"));
    }
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot take the focus in every browser
    <section
      ref={box}
      class="card card-clarify"
      role="group"
      tabIndex={-1}
      aria-labelledby={`card-${item.id}`}
      data-card="clarify"
      data-ready={guard.ready}
    >
      <div class="card-head">
        <Icon name="unknown" />
        <h2 id={`card-${item.id}`}>{t("clarify_title")}</h2>
      </div>
      <p class="card-question" dir="auto">
        {card.question}
      </p>
      {card.options.length > 0 && (
        <div class="clarify-options">
          {card.options.map((option) => (
            <button
              key={option.id}
              type="button"
              class="button secondary"
              dir="auto"
              data-option={option.id}
              disabled={off}
              aria-busy={sent === option.id}
              onPointerDown={guard.onPointerDown}
              onClick={(event) => guard.meant(event) && send(event, option.id)}
            >
              {option.label}
            </button>
          ))}
        </div>
      )}
      {card.freeText && (
        <div class="clarify-own">
          <input
            type="text"
            dir="auto"
            maxLength={TEXT_CHARS}
            value={text}
            placeholder={t("clarify_own")}
            aria-label={t("clarify_own")}
            data-field="answer"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.isComposing && text.trim()) void send(event, TEXT);
            }}
          />
          <button
            type="button"
            class="button primary"
            data-action="answer"
            disabled={off || !text.trim()}
            onPointerDown={guard.onPointerDown}
            onClick={(event) => guard.meant(event) && send(event, TEXT)}
          >
            {t("clarify_send")}
          </button>
        </div>
      )}
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      {card.seconds > 0 && (
        <p class="card-clock">
          <span class="visually-hidden">
            {t(card.options.length ? "clarify_waits" : "clarify_waits_open", {
              time: elapsed(card.seconds * 1000),
            })}
          </span>
          <span aria-hidden="true">
            <Icon name="clock" size={12} />{" "}
            {t(card.options.length ? "clarify_left" : "clarify_left_open", {
              time: elapsed(Math.max(left, 0) * 1000),
            })}
          </span>
        </p>
      )}
    </section>
  );
}

/** @param {{item: CardItem}} props */
function Answered({ item }) {
  const { card, answer, source } = item;
  const option = card.options.find((one) => one.id === answer);
  const own = answer === TEXT;
  const words = own ? item.text : option?.label;
  const asked = source === "user" && (own || option);
  return (
    <p class="card-answered" data-card="clarify" data-answer={answer} data-source={source}>
      <Icon name={asked ? "check" : option ? "clock" : "cross"} size={14} />
      <span>
        <span dir="auto">{card.question.split("\n")[0]}</span>{" "}
        <strong dir="auto">{words ?? t("card_withdrawn")}</strong>
        {source !== "user" && option && ` (${t(source === "auto" ? "clarify_auto" : "clarify_timeout")})`}
      </span>
    </p>
  );
}
