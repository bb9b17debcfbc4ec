import { elapsed } from "../format.js";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { useNow } from "./waiting.js";

const TICK_MS = 250;

/**
 * A service that refused for now, and the seconds until it is asked again. Screen readers hear it once: a voice
 * that counts down is in the way.
 *
 * @param {{pause: import("../conversation.js").Pause}} props
 */
export function Waiting({ pause }) {
  const left = Math.ceil((pause.until - useNow(TICK_MS)) / 1000);
  return (
    <div class="pause" data-code={pause.code}>
      <Icon name={pause.code === "offline" ? "alert" : "clock"} size={14} />
      <p>
        <span role="status">
          {pause.message}{" "}
          <span class="visually-hidden">
            {t("trying_again_in", { time: elapsed(Math.round(pause.seconds) * 1000) })}
          </span>
        </span>{" "}
        <span class="pause-time" aria-hidden="true">
          {left > 0 ? t("trying_again_in", { time: elapsed(left * 1000) }) : t("trying_again")}
        </span>
      </p>
    </div>
  );
}
