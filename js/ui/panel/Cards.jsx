import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { useGuard } from "./consent.js";
import { line } from "./line.js";
import { answerCard } from "./store.js";
import { isTyping } from "./waiting.js";

/** @typedef {import("../items.js").CardItem} CardItem */

/** @typedef {import("../types.js").CardData} CardData */

/** A longer list scrolls by itself, so that the buttons stay in reach. */
const MANY_FIELDS = 8;
/** A longer value scrolls by itself. */
const LONG = 300;
/** From so many characters together on all lines scroll inside the card, or its buttons would be out of sight. */
const MUCH = 500;
/** Names of lines that Python gives; others are a page's own. */
const DETAILS = ["Action", "Address", "Body", "Dialog", "Enter", "File", "Request", "Size"];
/** Answers that count beyond the task: they stand apart from the buttons for this question. */
const STANDING = ["always", "never"];

/**
 * A question only a person answers. Focus goes to the card, not to a button: an Enter that was meant for the
 * composer must not submit anything. Whoever is in the middle of typing keeps the focus.
 *
 * @param {{item: CardItem}} props
 */
export function Card({ item }) {
  const { card, answer } = item;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [sent, setSent] = useState("");
  const [problem, setProblem] = useState("");
  const guard = useGuard(card.cardId);
  const open = answer === "";
  useEffect(() => {
    if (open && !isTyping()) box.current?.focus({ preventScroll: true });
  }, [open]);
  if (!open) return <Answered item={item} />;

  const choose = async (/** @type {MouseEvent} */ event) => {
    if (!guard.meant(event) || sent) return;
    const id = /** @type {HTMLElement} */ (event.currentTarget).dataset.option ?? "";
    setSent(id);
    setProblem("");
    try {
      await answerCard(card.cardId, id);
    } catch (error) {
      setSent("");
      setProblem(/** @type {Error} */ (error).message || t("card_not_sent"));
    }
  };
  const title = titleOf(card);
  /** @param {CardData["options"][number]} option */
  const button = (option) => (
    <button
      key={option.id}
      type="button"
      class={STANDING.includes(option.id) ? "link-button" : `button ${option.style}`}
      data-option={option.id}
      disabled={sent !== "" || !guard.ready || line.value.state !== "connected"}
      aria-busy={sent === option.id}
      onPointerDown={guard.onPointerDown}
      onClick={choose}
    >
      {option.code ? t(`ask_answer_${option.code}`) : option.label}
    </button>
  );

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot take the focus in every browser
    <section
      ref={box}
      class={`card card-${card.kind}`}
      role="group"
      tabIndex={-1}
      aria-labelledby={`card-${card.cardId}`}
      data-card={card.kind}
      data-ask={card.ask}
      data-ready={guard.ready}
    >
      <div class="card-head">
        <Icon name={card.kind === "clarify" ? "unknown" : "shield"} />
        <h2 id={`card-${card.cardId}`}>
          <bdi>{title}</bdi>
        </h2>
      </div>
      {card.host && !title.includes(card.origin || card.host) && !card.warnings.includes("goes_to") && (
        <p class="card-host">
          <span>{t(card.ask === "press" ? "card_on" : "card_to")}</span>{" "}
          <strong>
            <bdi>{card.origin || card.host}</bdi>
          </strong>
        </p>
      )}
      <Question card={card} />
      <Lines lines={card.details} own />
      <Lines lines={card.fields} />
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      <div class="button-row card-buttons">
        {card.options.filter(({ id }) => !STANDING.includes(id)).map(button)}
      </div>
      {card.options.some(({ id }) => STANDING.includes(id)) && (
        <div class="button-row card-standing">
          {card.options.filter(({ id }) => STANDING.includes(id)).map(button)}
        </div>
      )}
    </section>
  );
}

/**
 * @param {CardData} card
 * @returns {string} its title in the language of the screen
 */
function titleOf(card) {
  return card.ask ? t(`ask_title_${card.ask}`, card.params) : card.title;
}

/** @param {{card: CardData}} props */
function Question({ card }) {
  if (!card.ask) return card.question ? <p class="card-question">{card.question}</p> : null;
  return (
    <>
      <p class="card-question">
        <bdi>{t(`ask_text_${card.ask}`, card.params)}</bdi>
      </p>
      {card.warnings.map((code) => (
        <p key={code} class={`card-note note-${code}`}>
          <bdi>{t(`ask_note_${code}`, card.params)}</bdi>
        </p>
      ))}
    </>
  );
}

/**
 * What would be done or sent, name by name.
 *
 * @param {{lines: CardData["fields"], own?: boolean}} props `own`: the names are ours, not a page's
 */
function Lines({ lines, own = false }) {
  if (!lines.length) return null;
  const many = lines.length > MANY_FIELDS || lines.reduce((sum, { value }) => sum + value.length, 0) > MUCH;
  return (
    <dl class={`card-fields ${many ? "many" : ""}`} tabIndex={many ? 0 : undefined}>
      {lines.map((field, index) => (
        <div key={index}>
          <dt>
            <bdi>
              {own && DETAILS.includes(field.label)
                ? t(`ask_line_${field.label.toLowerCase()}`)
                : field.label || t("card_unnamed")}
            </bdi>
          </dt>
          <dd class={field.masked ? "masked" : ""} tabIndex={field.value.length > LONG ? 0 : undefined}>
            {field.value ? <bdi>{field.value}</bdi> : <span class="empty-value">{t("card_empty")}</span>}
            {field.masked && <span class="visually-hidden"> ({t("card_masked")})</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * @param {{item: CardItem}} props
 */
function Answered({ item }) {
  const option = item.card.options.find((o) => o.id === item.answer);
  return (
    <p class="card-answered" data-card={item.card.kind} data-answer={item.answer}>
      <Icon name={option ? "check" : "cross"} size={14} />
      <span>
        <bdi>{titleOf(item.card)}</bdi>{" "}
        <strong>
          {option ? (option.code ? t(`ask_answer_${option.code}`) : option.label) : t("card_withdrawn")}
        </strong>
      </span>
    </p>
  );
}
