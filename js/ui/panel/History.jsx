import { useEffect, useRef, useState } from "preact/hooks";
import { day as dayOf, hostOf, time } from "../format.js";
import { t, tn } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import {
  byDay,
  closeHistory,
  deleteRows,
  exportRow,
  found,
  loadMore,
  note,
  openRow,
  query,
  search,
} from "./history.js";
import { tab } from "./state.js";

const ERRORS = ["run_active", "conversation_gone"];

/**
 * Earlier conversations, in the place of the one that is shown.
 */
export function History() {
  const box = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [asking, setAsking] = useState("");
  const { rows, more, loaded } = found.value;
  useEffect(() => box.current?.focus(), []);
  return (
    <main
      class="history"
      aria-label={t("history")}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.isComposing) return;
        event.stopPropagation();
        if (asking) setAsking("");
        else closeHistory();
      }}
    >
      <div class="history-head">
        <button
          type="button"
          id="close-history"
          class="icon-button"
          title={t("history_close")}
          aria-label={t("history_close")}
          onClick={() => closeHistory()}
        >
          <Icon name="back" />
        </button>
        <label class="history-search">
          <Icon name="search" size={14} />
          <span class="visually-hidden">{t("history_search")}</span>
          <input
            ref={box}
            type="search"
            id="history-search"
            placeholder={t("history_search")}
            maxLength={200}
            value={query.value}
            onInput={(event) => search(event.currentTarget.value)}
          />
        </label>
      </div>
      <Note />
      <div class="history-list">
        {!loaded && <Spinner />}
        {byDay(rows).map(({ day, rows: ofDay }) => (
          <section key={day} aria-labelledby={`day-${day}`}>
            <h2 id={`day-${day}`}>{dayOf(day)}</h2>
            <ul>
              {ofDay.map((row) => (
                <Row
                  key={row.id}
                  row={row}
                  asking={asking === row.id}
                  onAsk={(ask) => setAsking(ask ? row.id : "")}
                />
              ))}
            </ul>
          </section>
        ))}
        {loaded && !rows.length && (
          <p class="history-none">{t(query.value.trim() ? "history_not_found" : "history_none")}</p>
        )}
        {more && (
          <button type="button" class="button quiet wide" data-action="more" onClick={loadMore}>
            {t("history_more")}
          </button>
        )}
      </div>
      {loaded && rows.length > 0 && !query.value.trim() && (
        <DeleteAll asking={asking === ALL} onAsk={(ask) => setAsking(ask ? ALL : "")} />
      )}
    </main>
  );
}

/** In the place of an id: all of them. */
const ALL = "*";

/** How many there are, for those who do not see the list; what went wrong, for all. */
function Note() {
  const { rows, more, loaded, indexing } = found.value;
  const said = note.value;
  const known = said && ERRORS.includes(said.code);
  return (
    <>
      <p class="visually-hidden" role="status">
        {loaded ? tn("history_count", rows.length) + (more ? " +" : "") : ""}
      </p>
      {said && (
        <p
          class={`history-note ${said.code ? "bad" : ""}`}
          role={said.code ? "alert" : "status"}
          data-code={said.code}
        >
          <Icon name={said.code ? "alert" : "info"} size={14} />
          <span>{known ? t(`history_error_${said.code}`) : said.text || t("went_wrong")}</span>
        </p>
      )}
      {indexing && (
        <p class="history-note">
          <Spinner />
          <span>{t("history_indexing")}</span>
        </p>
      )}
    </>
  );
}

/**
 * @param {{row: import("./history.js").Row, asking: boolean, onAsk: (ask: boolean) => void}} props
 */
function Row({ row, asking, onAsk }) {
  const opener = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const here = row.tabId !== null && row.tabId === tab.value?.id;
  const state = row.running ? "running" : here ? "here" : row.tabId === null ? "" : "elsewhere";
  const about = [
    time(row.updatedAt),
    tn("history_turns", row.turns),
    row.tabUrl && hostOf(row.tabUrl),
    state && t(`history_${state}`),
  ];
  return (
    <li data-conversation={row.id} data-state={state}>
      <button type="button" class="history-open" onClick={() => openRow(row)}>
        <span class="history-title" dir="auto">
          {row.title}
        </span>
        {row.found && (
          <span class="history-found" dir="auto">
            {row.found}
          </span>
        )}
        <span class="history-about" title={row.tabUrl || undefined}>
          {about.filter(Boolean).join(" · ")}
        </span>
      </button>
      <div class="history-actions">
        <button
          type="button"
          class="icon-button small"
          data-action="export"
          title={t("history_export")}
          aria-label={`${t("history_export")}: ${row.title}`}
          onClick={() => exportRow(row.id)}
        >
          <Icon name="save" size={14} />
        </button>
        <button
          ref={opener}
          type="button"
          class="icon-button small"
          data-action="delete"
          title={t("history_delete")}
          aria-label={`${t("history_delete")}: ${row.title}`}
          aria-expanded={asking}
          onClick={() => onAsk(!asking)}
        >
          <Icon name="bin" size={14} />
        </button>
      </div>
      {asking && (
        <Confirm
          name="delete"
          onYes={() => deleteRows(row.id)}
          onClose={() => {
            onAsk(false);
            (opener.current ?? document.getElementById("history-search"))?.focus();
          }}
        />
      )}
    </li>
  );
}

/**
 * @param {{asking: boolean, onAsk: (ask: boolean) => void}} props
 */
function DeleteAll({ asking, onAsk }) {
  return (
    <div class="history-foot">
      {asking ? (
        <Confirm
          name="delete_all"
          onYes={() => deleteRows()}
          onClose={() => {
            onAsk(false);
            document.getElementById("history-search")?.focus();
          }}
        />
      ) : (
        <button type="button" class="link-button" data-action="delete-all" onClick={() => onAsk(true)}>
          {t("history_delete_all")}
        </button>
      )}
    </div>
  );
}

/**
 * @param {{name: "delete" | "delete_all", onYes: () => Promise<void>, onClose: () => void}} props
 */
function Confirm({ name, onYes, onClose }) {
  const first = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const [busy, setBusy] = useState(false);
  useEffect(() => first.current?.focus(), []);
  const title = `history-${name}`;
  return (
    <section class="history-confirm" aria-labelledby={title}>
      <p id={title} class="popover-title">
        {t(`history_${name}_title`)}
      </p>
      <p>{t(`history_${name}_text`)}</p>
      <div class="button-row">
        <button
          type="button"
          class="button danger"
          data-action="confirm-delete"
          disabled={busy}
          onClick={async () => {
            setBusy(true);
            await onYes();
            onClose();
          }}
        >
          {t(name === "delete" ? "history_delete" : "history_delete_all_yes")}
        </button>
        <button ref={first} type="button" class="button" onClick={onClose}>
          {t("cancel")}
        </button>
      </div>
    </section>
  );
}
