import { useState } from "preact/hooks";
import { duration, prettyJson } from "../format.js";
import { t, tn } from "../i18n.js";
import { CopyButton } from "../shared/CopyButton.jsx";
import { Icon, Spinner } from "../shared/icons.jsx";
import { PictureButton } from "./Pictures.jsx";
import { verbose } from "./state.js";

/**
 * @typedef {import("../items.js").ToolItem} ToolItem
 * @typedef {import("../items.js").PictureItem} PictureItem
 */

/** In a long row of steps only the last ones stand open; the rest is one line that opens. */
const SHOWN = 6;
const MAX_UNFOLDED = SHOWN + 2;

/**
 * Tool calls that followed each other, and what the page looked like, on one rail.
 *
 * @param {{items: (ToolItem | PictureItem)[]}} props
 */
export function Steps({ items }) {
  const [all, setAll] = useState(false);
  const hidden = !all && items.length > MAX_UNFOLDED ? items.length - SHOWN : 0;
  return (
    <div class="steps">
      {hidden > 0 && (
        <button type="button" class="steps-more" onClick={() => setAll(true)}>
          {tn("earlier_steps", hidden)}
        </button>
      )}
      <ol start={hidden + 1}>
        {items
          .slice(hidden)
          .map((item) =>
            item.kind === "tool" ? <Step key={item.id} item={item} /> : <Look key={item.id} item={item} />,
          )}
      </ol>
    </div>
  );
}

const ICONS = { ok: "check", failed: "cross", unknown: "unknown" };

/**
 * @param {{item: ToolItem}} props
 */
function Step({ item }) {
  const [chosen, setOpen] = useState(/** @type {boolean | null} */ (null));
  const open = chosen ?? verbose.value;
  const id = `step-${item.id}`;
  return (
    <li class={`step step-${item.state}`} data-tool={item.name} data-state={item.state}>
      <button
        type="button"
        class="step-row"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span class="step-icon">
          {item.state === "running" ? <Spinner /> : <Icon name={ICONS[item.state]} size={14} />}
        </span>
        <span class="step-label">{item.label}</span>
        <span class="visually-hidden">{t(`step_${item.state}`)}</span>
        {item.durationMs > 0 && <span class="step-time">{duration(item.durationMs)}</span>}
        <span class="step-chevron">
          <Icon name="chevron" size={12} />
        </span>
      </button>
      {!open && item.state !== "ok" && item.summary && <p class="step-summary">{item.summary}</p>}
      {item.pictures.length > 0 && (
        <div class="step-pictures">
          {item.pictures.map((picture) => (
            <PictureButton key={picture.id} picture={picture} />
          ))}
        </div>
      )}
      {open && (
        <div class="step-details" id={id}>
          <p class="step-name">
            <code>{item.name}</code>
            {item.state === "unknown" && <span>{t("step_unknown_text")}</span>}
          </p>
          <Detail title={t("arguments")} text={prettyJson(item.args)} />
          {item.state !== "running" && <Detail title={t("result")} text={prettyJson(item.result)} />}
        </div>
      )}
    </li>
  );
}

/**
 * @param {{item: PictureItem}} props
 */
function Look({ item }) {
  return (
    <li class="step step-look">
      <p class="step-row">
        <span class="step-icon">
          <Icon name="image" size={14} />
        </span>
        <span class="step-label">{t(`picture_${item.picture.reason}`)}</span>
      </p>
      <div class="step-pictures">
        <PictureButton picture={item.picture} />
      </div>
    </li>
  );
}

/**
 * @param {{title: string, text: string}} props
 */
function Detail({ title, text }) {
  return (
    <div class="detail">
      <div class="detail-head">
        <span>{title}</span>
        {text && <CopyButton text={() => text} label={`${t("copy")}: ${title}`} />}
      </div>
      {text ? <pre tabIndex={0}>{text}</pre> : <p class="detail-none">{t("nothing")}</p>}
    </div>
  );
}
