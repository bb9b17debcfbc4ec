import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { copyText } from "./dom.js";
import { Icon } from "./icons.jsx";

const SHOWN_MS = 1600;

/**
 * @param {{text: () => string, label?: string, class?: string}} props
 */
export function CopyButton({ text, label, class: className = "" }) {
  const [state, setState] = useState(/** @type {"" | "done" | "failed"} */ (""));
  useEffect(() => {
    if (!state) return;
    const timer = setTimeout(() => setState(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const name = label ?? t("copy");
  const said = state === "done" ? t("copied") : state === "failed" ? t("copy_failed") : name;
  return (
    <button
      type="button"
      class={`icon-button small copy ${className}`}
      title={said}
      aria-label={said}
      onClick={async () => setState((await copyText(text())) ? "done" : "failed")}
    >
      <Icon name={state === "done" ? "check" : state === "failed" ? "cross" : "copy"} size={14} />
    </button>
  );
}
