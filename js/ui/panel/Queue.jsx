import { useRef } from "preact/hooks";
import { t, tn } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { editQueued, removeQueued, sendQueued } from "./sending.js";
import { busy, queue } from "./state.js";

/** Of a message, in the name of its buttons. */
const NAMED_CHARS = 60;

/** What was typed while a task goes on, above the composer: waiting, or held back for the person to decide. */
export function Queue() {
  const list = useRef(/** @type {HTMLOListElement | null} */ (null));
  const items = queue.value;

  /** @param {number} index of the message that is taken out */
  const focusNear = (index) => {
    const rest = list.current?.querySelectorAll("[data-queued]") ?? [];
    const next = rest[index + 1] ?? rest[index - 1];
    const target = next?.querySelector("[data-action='remove']") ?? document.getElementById("composer");
    /** @type {HTMLElement | null} */ (target)?.focus();
  };

  return (
    <>
      <p class="queue-status visually-hidden" role="status">
        {items.length > 0 && tn("queue_count", items.length)}
      </p>
      {items.length > 0 && (
        <section class="queue" id="queue" aria-label={t("queue")}>
          <ol ref={list}>
            {items.map((item, index) => (
              <Waiting key={item.id} item={item} onRemoved={() => focusNear(index)} />
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

/**
 * @param {{item: import("../types.js").QueuedMessage, onRemoved: () => void}} props
 */
function Waiting({ item, onRemoved }) {
  const idle = !busy.value;
  const name = item.text.slice(0, NAMED_CHARS);
  const note = item.held ? "queue_held" : idle ? "queue_paused" : "queue_waits";
  return (
    <li
      class={`queued mode-${item.mode === "ask" ? "ask" : "act"}`}
      data-queued={item.id}
      data-held={item.held}
    >
      <div class="queued-words">
        <p class="queued-text" dir="auto" title={item.text}>
          {item.text}
        </p>
        <p class="queued-note">
          <span class="queued-mode">{t(item.mode === "ask" ? "mode_ask" : "mode_act")}</span> {t(note)}
        </p>
      </div>
      {(item.held || idle) && (
        <Action
          icon="send"
          action="send"
          label={t("queue_send")}
          name={name}
          onClick={() => sendQueued(item)}
        />
      )}
      <Action
        icon="compose"
        action="edit"
        label={t("queue_edit")}
        name={name}
        onClick={() => editQueued(item)}
      />
      <Action
        icon="cross"
        action="remove"
        label={t("remove")}
        name={name}
        onClick={() => {
          onRemoved();
          removeQueued(item);
        }}
      />
    </li>
  );
}

/**
 * @param {{icon: "send" | "compose" | "cross", action: string, label: string, name: string,
 *   onClick: () => void}} props
 */
function Action({ icon, action, label, name, onClick }) {
  return (
    <button
      type="button"
      class="icon-button small"
      data-action={action}
      title={label}
      aria-label={`${label}: ${name}`}
      onClick={onClick}
    >
      <Icon name={icon} size={14} />
    </button>
  );
}
