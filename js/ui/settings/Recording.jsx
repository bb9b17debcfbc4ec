import { useEffect, useRef, useState } from "preact/hooks";
import { duration, elapsed, number, prettyJson } from "../format.js";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { Facts, Status, Sure, titleOf } from "./Records.jsx";
import { deleteRun, readRun, readShot, saveRun, textOf } from "./records.js";
import { recordsChanged } from "./store.js";

/** @typedef {import("./records.js").RunRow} RunRow */
/** @typedef {import("./records.js").RunEvent} RunEvent */

/** @type {Record<string, string>} */
const ICONS = {
  llm_request: "send",
  llm_response: "read",
  tool: "pointer",
  screenshot: "image",
  error: "alert",
  vision_sub_call: "eye",
  note: "info",
};

/**
 * One recording, event by event.
 *
 * @param {{runId: string}} props
 */
export function Recording({ runId }) {
  const id = decodeURIComponent(runId);
  const [run, setRun] = useState(/** @type {RunRow | null} */ (null));
  const [events, setEvents] = useState(/** @type {RunEvent[]} */ ([]));
  const [more, setMore] = useState(false);
  const [problem, setProblem] = useState("");
  /** @param {RunEvent[]} before */
  const load = async (before) => {
    try {
      const answer = await readRun(id, before.at(-1)?.n ?? 0);
      setRun(answer.run);
      setEvents([...before, ...answer.events]);
      setMore(answer.more);
      setProblem("");
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message || t("went_wrong"));
    }
  };
  useEffect(() => {
    if (!run || run.status === "running") void load([]);
  }, [id, recordsChanged.value]);
  return (
    <section aria-labelledby="recording-title" class="recording">
      <p>
        <a class="recording-back" href="#records" data-action="all-records">
          <Icon name="chevron" size={12} />
          {t("records_back")}
        </a>
      </p>
      <h2 id="recording-title">{run ? titleOf(run) : t("records")}</h2>
      {problem && (
        <p class="setting-state bad" role="alert">
          <Icon name="alert" size={12} /> {problem}
        </p>
      )}
      {run && (
        <>
          <Head run={run} />
          <ol class="timeline">
            {events.map((event) => (
              <Moment key={event.n} run={run} event={event} />
            ))}
          </ol>
          {!events.length && <p class="help">{t("record_nothing")}</p>}
          {more && (
            <button type="button" class="button" data-action="more-events" onClick={() => load(events)}>
              {t("records_more")}
            </button>
          )}
        </>
      )}
    </section>
  );
}

/** @param {{run: RunRow}} props */
function Head({ run }) {
  const [work, setWork] = useState("");
  const [problem, setProblem] = useState("");
  /** @param {"markdown" | "json"} format */
  const save = async (format) => {
    setWork(format);
    try {
      await saveRun(run.runId, format);
      setProblem("");
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message || t("went_wrong"));
    }
    setWork("");
  };
  return (
    <>
      <p class="record-facts">
        <Status run={run} />
        <Facts run={run} />
        {run.promptTokens ? (
          <span>{t("tokens", { count: number(run.promptTokens + (run.completionTokens ?? 0)) })}</span>
        ) : null}
      </p>
      {run.tabUrl && (
        <p class="record-place">
          <bdi>{run.tabTitle}</bdi> <bdi>{run.tabUrl}</bdi>
        </p>
      )}
      {run.legacy && <p class="help">{t("record_legacy")}</p>}
      {run.cutOff && <p class="help">{t("record_cut")}</p>}
      <div class="record-buttons">
        {
          /** @type {const} */ (["markdown", "json"]).map((format) => (
            <button
              key={format}
              type="button"
              class="button"
              data-action={`export-${format}`}
              disabled={Boolean(work)}
              onClick={() => save(format)}
            >
              {work === format && <Spinner />}
              {t(`record_save_${format}`)}
            </button>
          ))
        }
        <Sure
          action="delete-record"
          label={t("delete")}
          question={t("record_delete_ask")}
          onYes={async () => {
            await deleteRun(run.runId);
            location.hash = "records";
          }}
        />
      </div>
      {problem && (
        <p class="setting-state bad" role="alert">
          <Icon name="alert" size={12} /> {problem}
        </p>
      )}
    </>
  );
}

/**
 * Something that happened, when, and what there is to read of it.
 *
 * @param {{run: RunRow, event: RunEvent}} props
 */
function Moment({ run, event }) {
  const { type, data } = event;
  const failed = type === "error" || (type === "tool" && data.state === "done" && !data.ok);
  return (
    <li class={`moment moment-${type}${failed ? " failed" : ""}`} data-event={type}>
      <Icon name={ICONS[type] ?? "info"} size={14} />
      <div class="moment-body">
        <p class="moment-head">
          <strong>{headOf(event)}</strong>
          <span class="moment-time">
            {elapsed(event.at - run.startedAt)}
            {data.durationMs !== undefined && ` · ${duration(data.durationMs)}`}
          </span>
        </p>
        <Body run={run} event={event} />
      </div>
    </li>
  );
}

/** @param {RunEvent} event */
function headOf({ type, data }) {
  if (type === "tool") return textOf(data.label) || textOf(data.name);
  if (type === "llm_request") return t("record_llm_request", { model: textOf(data.model) });
  if (type === "screenshot") return t(`picture_${data.reason}`);
  if (type === "note") return t("record_note", { what: textOf(data.what).replaceAll("_", " ") });
  if (type === "llm_response") return t("record_llm_response");
  if (type === "vision_sub_call") return t("record_vision_sub_call");
  return t("record_error");
}

/** @param {{run: RunRow, event: RunEvent}} props */
function Body({ run, event }) {
  const { type, data } = event;
  if (type === "screenshot")
    return (
      <>
        <Shot runId={run.runId} event={event} />
        <Words text={textOf(data.description)} />
      </>
    );
  if (type === "tool")
    return (
      <>
        <Words
          text={
            data.state === "running"
              ? t("record_no_result")
              : `${data.unknown ? `${t("step_unknown")}. ` : ""}${textOf(data.summary)}`
          }
        />
        <Fold title={t("arguments")} text={prettyJson(textOf(data.args))} />
        <Fold title={t("result")} text={prettyJson(textOf(data.result))} />
      </>
    );
  if (type === "llm_request")
    return (
      <>
        {data.messagesBefore > 0 && (
          <Words text={t("record_before", { count: number(data.messagesBefore) })} />
        )}
        {(data.messages ?? []).map((/** @type {any} */ message, /** @type {number} */ index) => (
          <Fold key={index} title={textOf(message.role)} text={said(message)} />
        ))}
        {data.tools && <Fold title={t("record_tools")} text={data.tools.join(", ")} />}
      </>
    );
  if (type === "llm_response" || (type === "vision_sub_call" && !data.error))
    return (
      <>
        <Words text={said(data)} />
        <Fold title={t("record_reasoning")} text={textOf(data.reasoning)} />
      </>
    );
  if (type === "note") {
    const { what, message, ...rest } = data;
    return (
      <>
        <Words text={textOf(message)} />
        <Fold title={t("record_details")} text={Object.keys(rest).length ? textOf(rest) : ""} />
      </>
    );
  }
  const error = data.error ?? data;
  return <Words text={[error.message, error.detail].map(textOf).filter(Boolean).join("\n")} />;
}

/**
 * What a message or an answer says, its calls below.
 *
 * @param {any} message
 */
function said(message) {
  const calls = (message.toolCalls ?? []).map(
    (/** @type {any} */ call) => `→ ${textOf(call.name)} ${textOf(call.arguments)}`,
  );
  return [textOf(message.content ?? message.text), ...calls].filter(Boolean).join("\n");
}

/** @param {{text: string}} props */
function Words({ text }) {
  return text ? <p class="moment-words">{text}</p> : null;
}

/** @param {{title: string, text: string}} props */
function Fold({ title, text }) {
  if (!text) return null;
  return (
    <details class="moment-fold">
      <summary>{title}</summary>
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}

/**
 * A picture, fetched once it is about to come into view.
 *
 * @param {{runId: string, event: RunEvent}} props
 */
function Shot({ runId, event }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [source, setSource] = useState(/** @type {string | null} */ (null));
  useEffect(() => {
    const seen = new IntersectionObserver(
      async ([entry]) => {
        if (!entry.isIntersecting) return;
        seen.disconnect();
        setSource(await readShot(runId, event.n).catch(() => ""));
      },
      { rootMargin: "400px" },
    );
    if (place.current) seen.observe(place.current);
    return () => seen.disconnect();
  }, [runId, event.n]);
  const { width, height } = event.data;
  return (
    <div ref={place} class="shot" style={source === "" ? {} : { aspectRatio: `${width} / ${height}` }}>
      {source && <img src={source} alt={headOf(event)} width={width} height={height} />}
      {source === "" && <p class="moment-words">{t("picture_gone")}</p>}
    </div>
  );
}
