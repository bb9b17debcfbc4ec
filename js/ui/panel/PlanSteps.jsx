import { useRef, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";

/** As py/webbrain/agent/planner_model.py bounds them. */
const STEPS = 12;
const STEP_CHARS = 300;
/** Of a step in one row of a narrow panel. */
const ROW_CHARS = 26;

/** @typedef {{id: number, text: string}} Step */

/**
 * The steps of a plan to be rewritten, moved (by dragging the number, or by the arrow keys on it), removed and added.
 *
 * @param {{steps: Step[], onChange: (steps: Step[]) => void}} props
 */
export function PlanSteps({ steps, onChange }) {
  const list = useRef(/** @type {HTMLOListElement | null} */ (null));
  const [dragged, setDragged] = useState(-1);
  const [said, setSaid] = useState("");

  /**
   * @param {number} from
   * @param {number} to
   */
  const move = (from, to) => {
    if (from === to || to < 0 || to >= steps.length) return;
    const moved = steps.slice();
    moved.splice(to, 0, ...moved.splice(from, 1));
    onChange(moved);
    setSaid(t("plan_moved", { place: to + 1, count: steps.length }));
  };
  /** @param {number} place */
  const remove = (place) => {
    onChange(steps.filter((_, index) => index !== place));
    setSaid(t("plan_removed", { place: place + 1 }));
    focus(Math.min(place, steps.length - 2), ".plan-remove");
  };
  const add = () => {
    onChange([...steps, { id: Math.max(-1, ...steps.map((step) => step.id)) + 1, text: "" }]);
    focus(steps.length, "textarea");
  };
  /**
   * @param {number} place
   * @param {string} part
   */
  const focus = (place, part) =>
    requestAnimationFrame(() => {
      const row = list.current?.children[place];
      /** @type {HTMLElement | null | undefined} */ (row?.querySelector(part))?.focus();
    });
  /**
   * @param {KeyboardEvent} event
   * @param {number} place
   */
  const onKey = (event, place) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    move(place, place + by);
  };

  return (
    <>
      <ol class="plan-rows" ref={list} aria-label={t("plan_steps_label")}>
        {steps.map((step, place) => (
          <li
            key={step.id}
            class={`plan-row ${dragged === place ? "dragged" : ""}`}
            onDragOver={(event) => {
              if (dragged < 0) return;
              event.preventDefault();
              if (dragged !== place) {
                move(dragged, place);
                setDragged(place);
              }
            }}
            onDrop={(event) => event.preventDefault()}
          >
            <button
              type="button"
              class="plan-handle"
              draggable
              title={t("plan_move")}
              aria-label={t("plan_move_step", { place: place + 1 })}
              onKeyDown={(event) => onKey(event, place)}
              onDragStart={(event) => {
                event.dataTransfer?.setData("text/plain", step.text);
                setDragged(place);
              }}
              onDragEnd={() => setDragged(-1)}
            >
              {place + 1}
            </button>
            <textarea
              class="plan-input"
              rows={Math.max(1, Math.ceil(step.text.length / ROW_CHARS))}
              dir="auto"
              maxLength={STEP_CHARS}
              value={step.text}
              aria-label={t("plan_step", { place: place + 1 })}
              data-field={`step-${place}`}
              onInput={(event) => {
                const text = event.currentTarget.value.replace(/\n/g, " ");
                onChange(steps.map((one) => (one.id === step.id ? { ...one, text } : one)));
              }}
            />
            <button
              type="button"
              class="icon-button plan-remove"
              title={t("plan_remove")}
              aria-label={t("plan_remove_step", { place: place + 1 })}
              onClick={() => remove(place)}
            >
              <Icon name="cross" size={14} />
            </button>
          </li>
        ))}
      </ol>
      {steps.length < STEPS && (
        <button type="button" class="link-button" data-action="add" onClick={add}>
          {t("plan_add")}
        </button>
      )}
      <p class="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}
