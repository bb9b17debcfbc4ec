import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { trusted } from "../shared/dom.js";
import { Icon } from "../shared/icons.jsx";
import { answerCard } from "./store.js";

/** @typedef {import("../conversation.js").CardItem} CardItem */

/** A longer list scrolls by itself, so that the buttons stay in reach. */
const MANY_FIELDS = 8;

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
  const open = answer === "";
  useEffect(() => {
    if (open && !isTyping()) box.current?.focus({ preventScroll: true });
  }, [open]);
  if (!open) return <Answered item={item} />;

  const choose = trusted(async (/** @type {MouseEvent} */ event) => {
    const id = /** @type {HTMLElement} */ (event.currentTarget).dataset.option ?? "";
    setSent(id);
    setProblem("");
    try {
      await answerCard(card.cardId, id);
    } catch (error) {
      setSent("");
      setProblem(/** @type {Error} */ (error).message || t("card_not_sent"));
    }
  });

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot take the focus in every browser
    <section
      ref={box}
      class={`card card-${card.kind}`}
      role="group"
      tabIndex={-1}
      aria-labelledby={`card-${card.cardId}`}
      data-card={card.kind}
    >
      <div class="card-head">
        <Icon name={card.kind === "clarify" ? "unknown" : "shield"} />
        <h2 id={`card-${card.cardId}`}>{card.title}</h2>
      </div>
      {card.host && !card.title.includes(card.host) && (
        <p class="card-host">
          <span>{t("card_to")}</span> <strong>{card.host}</strong>
        </p>
      )}
      {card.question && <p class="card-question">{card.question}</p>}
      {card.fields.length > 0 && (
        <dl
          class={`card-fields ${card.fields.length > MANY_FIELDS ? "many" : ""}`}
          tabIndex={card.fields.length > MANY_FIELDS ? 0 : undefined}
        >
          {card.fields.map((field, index) => (
            <div key={index}>
              <dt>{field.label || t("card_unnamed")}</dt>
              <dd class={field.masked ? "masked" : ""}>
                {field.value || <span class="empty-value">{t("card_empty")}</span>}
                {field.masked && <span class="visually-hidden"> ({t("card_masked")})</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
      <div class="button-row card-buttons">
        {card.options.map((option) => (
          <button
            key={option.id}
            type="button"
            class={`button ${option.style}`}
            data-option={option.id}
            disabled={sent !== ""}
            aria-busy={sent === option.id}
            onClick={choose}
          >
            {option.label}
          </button>
        ))}
      </div>
    </section>
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
        {item.card.title} <strong>{option?.label ?? t("card_withdrawn")}</strong>
      </span>
    </p>
  );
}

/** @returns {boolean} */
function isTyping() {
  const active = document.activeElement;
  return active instanceof HTMLTextAreaElement && active.value !== "";
}
