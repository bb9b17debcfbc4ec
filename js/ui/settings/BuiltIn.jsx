import { useEffect, useState } from "preact/hooks";
import { availability, download } from "../builtin.js";
import { t } from "../i18n.js";
import { Icon, Spinner } from "../shared/icons.jsx";

/** How often a download that somebody else began is looked after. */
const LOOK_MS = 3_000;

/**
 * Whether the browser's own model can be had, and the button that downloads it.
 *
 * @param {{onState: (there: boolean) => void}} props `onState` is told whether it can be used now
 */
export function BuiltIn({ onState }) {
  const [state, setState] = useState(/** @type {import("../builtin.js").Availability | ""} */ (""));
  /** From 0 to 1 while a download of ours runs. */
  const [progress, setProgress] = useState(/** @type {number | null} */ (null));
  const [fault, setFault] = useState("");

  const look = async () => {
    const now = await availability();
    setState(now);
    onState(now === "available");
  };
  useEffect(() => void look(), []);
  useEffect(() => {
    if (state !== "downloading" || progress !== null) return;
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [state, progress]);

  const onDownload = async () => {
    setFault("");
    setProgress(0);
    try {
      await download(setProgress);
    } catch (error) {
      setFault(/** @type {Error} */ (error).message || t("went_wrong"));
    }
    setProgress(null);
    await look();
  };

  if (!state)
    return (
      <p class="result" role="status">
        <Spinner />
        <span>{t("builtin_checking")}</span>
      </p>
    );
  const good = state === "available";
  const none = state === "unsupported" || state === "unavailable";
  return (
    <div class={`result ${good ? "result-ok" : none ? "result-warn" : ""}`} data-builtin={state}>
      <Icon name={good ? "check" : "info"} />
      <div>
        <p role="status">{progress === null ? t(`builtin_${state}`) : t("builtin_running")}</p>
        {progress !== null && (
          <p class="download">
            <progress aria-label={t("builtin_progress")} max={1} value={progress} />
            <span>{Math.floor(progress * 100)} %</span>
          </p>
        )}
        {fault && (
          <p role="alert" data-fault>
            {t("builtin_failed", { why: fault })}
          </p>
        )}
        {!good && !none && progress === null && (
          <button type="button" class="button primary" data-action="download" onClick={onDownload}>
            {t("builtin_download")}
          </button>
        )}
      </div>
    </div>
  );
}
