import { useState } from "preact/hooks";
import { duration, elapsed } from "../format.js";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { line, restartExtension, retryBoot, retryConnection } from "./line.js";
import { boot, restricted, view } from "./state.js";
import { reopen } from "./store.js";
import { useNow } from "./waiting.js";

/** Waiting shorter than this says nothing: a strip that flashes up is worse than none. */
const QUIET_MS = 400;
const TICK_MS = 250;
/** From this attempt on, "Reconnecting" also offers to try at once. */
const PATIENCE = 3;
/** From this one on, about ten seconds later, it offers to start the extension anew. */
const LOST = 6;

/** What stands between the person and a working panel, most urgent first; at most one of them. */
export function Notices() {
  const state = line.value.state;
  const current = view.value;
  if (state === "invalidated")
    return (
      <Notice kind="warn" icon="retry" title={t("reload_title")} text={t("reload_text")}>
        <button type="button" class="button primary" onClick={() => location.reload()}>
          {t("reload")}
        </button>
      </Notice>
    );
  if (boot.value?.state === "failed") return <BootFailed />;
  if (current?.gone) return <Notice kind="info" icon="info" title={t("gone_title")} text={t("gone_text")} />;
  if (state === "reconnecting") return <Reconnecting />;
  if (current?.problem)
    return (
      <Notice kind="bad" icon="alert" title={t("open_failed_title")} text={current.problem}>
        <button type="button" class="button" onClick={reopen}>
          {t("try_again")}
        </button>
      </Notice>
    );
  if (boot.value?.state !== "ready") return <Starting />;
  if (restricted.value)
    return (
      <Notice
        kind="info"
        icon="shield"
        title={t(`restricted_${restricted.value}`)}
        text={t("restricted_text")}
      />
    );
  return null;
}

/**
 * @param {{kind: "info" | "warn" | "bad", icon: string, title: string, text?: string, detail?: string,
 *   children?: any}} props `detail` is in the words of whoever said it
 */
function Notice({ kind, icon, title, text, detail, children }) {
  return (
    <section class={`notice notice-${kind}`} role={kind === "info" ? "status" : "alert"}>
      <Icon name={icon} />
      <div class="notice-body">
        <p class="notice-title">{title}</p>
        {text && <p>{text}</p>}
        {detail && <p class="notice-detail">{detail}</p>}
        {children && <div class="button-row">{children}</div>}
      </div>
    </section>
  );
}

function Reconnecting() {
  const { attempt, reason } = line.value;
  if (attempt >= LOST)
    return (
      <Notice kind="warn" icon="alert" title={t("lost_title")} text={t("lost_text")} detail={reason}>
        <button type="button" class="button primary" onClick={restartExtension}>
          {t("restart_extension")}
        </button>
        <button type="button" class="button" onClick={retryConnection}>
          {t("try_now")}
        </button>
      </Notice>
    );
  return (
    <section class="strip" role="status">
      <Spinner />
      <span>{t("reconnecting")}</span>
      {attempt >= PATIENCE && (
        <button type="button" class="link-button" onClick={retryConnection}>
          {t("try_now")}
        </button>
      )}
    </section>
  );
}

function Starting() {
  const [since] = useState(() => Date.now());
  const [open, setOpen] = useState(false);
  const now = useNow(TICK_MS);
  if (now - since < QUIET_MS) return null;
  return (
    <section class="strip-box" aria-label={t("starting")}>
      <div class="strip" role="status">
        <Spinner />
        <span>{t("starting")}</span>
        <span class="strip-time" aria-hidden="true">
          {elapsed(now - since)}
        </span>
        <button type="button" class="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t("details")}
        </button>
      </div>
      {open && <Phases />}
    </section>
  );
}

function BootFailed() {
  const [open, setOpen] = useState(false);
  return (
    <Notice
      kind="bad"
      icon="alert"
      title={t("boot_failed_title")}
      text={boot.value?.reason || t("boot_failed_text")}
    >
      <button type="button" id="boot-retry" class="button primary" onClick={retryBoot}>
        {t("try_again")}
      </button>
      <button type="button" class="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("details")}
      </button>
      {open && <Phases />}
    </Notice>
  );
}

/** The named phases of the start, with their times. */
export function Phases() {
  const phases = boot.value?.phases ?? [];
  if (!phases.length) return <p class="phases-none">{t("no_phases")}</p>;
  return (
    <dl class="phases">
      {phases.map((phase) => (
        <div key={phase.name}>
          <dt>{phase.name}</dt>
          <dd>{duration(phase.ms)}</dd>
        </div>
      ))}
    </dl>
  );
}
