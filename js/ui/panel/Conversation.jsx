import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { answerText, openCard, openPlan } from "../conversation.js";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { OutgoingFiles } from "./Attachments.jsx";
import { ReadingScroll } from "./scroll.js";
import { discardOutgoing, resend } from "./sending.js";
import { conversation, outgoing, running, view } from "./state.js";
import { Question, Turn } from "./Turn.jsx";
import { Welcome } from "./Welcome.jsx";

/** @typedef {import("./scroll.js").ScrollControl} ScrollControl */

/** Enough to know what was said; who wants all of it can read it in the list. */
const ANNOUNCED_CHARS = 600;

export function Conversation() {
  const scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const content = useRef(/** @type {HTMLDivElement | null} */ (null));
  const scroll = useRef(/** @type {ReadingScroll | null} */ (null));
  const [control, setControl] = useState(/** @type {ScrollControl} */ (""));
  const turns = conversation.value?.turns ?? [];
  const last = turns.at(-1);
  const waiting = outgoing.value.filter((out) => !out.queue || out.state === "failed");
  const newest = waiting.at(-1)?.requestId ?? last?.requestId ?? "";
  const isRunning = Boolean(running.value);
  const asks = last?.items.at(-1)?.kind === "max_steps" || last?.status === "cost_limit";
  const needsPerson = Boolean(last && (openCard(last) || openPlan(last) || asks));

  useLayoutEffect(() => {
    if (!scroller.current || !content.current) return;
    scroll.current = new ReadingScroll(scroller.current, content.current, setControl);
    return () => scroll.current?.dispose();
  }, []);
  useLayoutEffect(() => scroll.current?.setRunning(isRunning), [isRunning]);
  useLayoutEffect(() => scroll.current?.begin(), [view.value?.tabId, newest]);
  useLayoutEffect(() => {
    if (needsPerson) scroll.current?.showEnd();
  }, [needsPerson]);

  return (
    <div class="conversation-frame">
      <main ref={scroller} class="conversation" tabIndex={0} aria-label={t("conversation")}>
        <div ref={content} class="conversation-content">
          {turns.length === 0 && waiting.length === 0 && !view.value?.gone && <Welcome />}
          {turns.map((turn, index) => (
            <Turn key={turn.id} turn={turn} last={index === turns.length - 1 && waiting.length === 0} />
          ))}
          {waiting.map((out) => (
            <Waiting key={out.requestId} out={out} />
          ))}
        </div>
      </main>
      {control && !(needsPerson && control === "question") && (
        <button
          type="button"
          class={`scroll-control ${control === "question" ? "up" : "down"}`}
          onClick={() =>
            control === "question" ? scroll.current?.showQuestion() : scroll.current?.showEnd()
          }
        >
          <Icon name={control === "question" ? "up" : "down"} size={14} />
          {t(`scroll_${control}`)}
        </button>
      )}
    </div>
  );
}

/**
 * A message on its way.
 *
 * @param {{out: import("./state.js").Outgoing}} props
 */
function Waiting({ out }) {
  const failed = out.state === "failed";
  return (
    <article class={`turn waiting waiting-${out.state}`}>
      <Question text={out.text || t("continued")} mode={out.mode}>
        <OutgoingFiles files={out.files ?? []} />
        <p class="waiting-note" role={failed ? "alert" : "status"}>
          <span>
            {t(`outgoing_${out.state}`)}
            {failed && out.error ? ` ${out.error}` : ""}
          </span>
          {failed && (
            <>
              <button type="button" class="link-button" onClick={() => resend(out.requestId)}>
                {t("retry")}
              </button>
              <button type="button" class="link-button" onClick={() => discardOutgoing(out.requestId)}>
                {t("discard")}
              </button>
            </>
          )}
        </p>
      </Question>
    </article>
  );
}

/** What a screen reader says by itself: the answer when it is complete, errors and questions at once. */
export function Announcer() {
  const last = conversation.value?.turns.at(-1);
  const [seen, setSeen] = useState({ id: "", status: "" });
  const [polite, setPolite] = useState("");
  const status = last?.status ?? "";
  const id = last?.id ?? "";
  useEffect(() => {
    // Only an end that was watched is news; a conversation that is merely opened is not read out.
    if (last && seen.id === id && seen.status === "running" && status !== "running") {
      const text = answerText(last).slice(0, ANNOUNCED_CHARS);
      setPolite(text ? `${t("answer_ready")} ${text}` : t("answer_ready"));
    } else if (status === "running") setPolite("");
    setSeen({ id, status });
  }, [id, status]);
  const card = last && status === "running" ? openCard(last) : undefined;
  const plan = last && status === "running" ? openPlan(last) : undefined;
  const error = last?.items.findLast((item) => item.kind === "error");
  const urgent = card
    ? `${card.card.title} ${card.card.question}`
    : plan
      ? `${t("plan_title")}: ${plan.plan.summary}`
      : error && seen.id === id
        ? /** @type {import("../items.js").ErrorItem} */ (error).message
        : "";
  return (
    <>
      <div class="visually-hidden" role="status" id="live-answer">
        {polite}
      </div>
      <div class="visually-hidden" role="alert" id="live-alert">
        {urgent}
      </div>
    </>
  );
}
