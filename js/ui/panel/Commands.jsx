import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { chosen, commands, keyOf, offers, pick, said } from "./commands.js";
import { tab } from "./state.js";

const KNOWN = ["unknown_command", "bad_usage", "run_active", "nothing_to_compact", "nothing_to_export"];

/** What a slash offers, and what came of the last command. */
export function Commands() {
  const rows = offers.value;
  if (rows.length) return <Offers rows={rows} />;
  const note = said.value;
  if (!note || note.tabId !== tab.value?.id) return null;
  if (note.kind === "help") return <Help about={note.params.about} />;
  const known = note.kind === "ok" || KNOWN.includes(note.code);
  return (
    <p
      class={`command-said ${note.kind}`}
      role={note.kind === "bad" ? "alert" : "status"}
      data-code={note.code}
    >
      <Icon name={note.kind === "ok" ? "check" : "alert"} size={14} />
      <span>{known ? t(`said_${note.code}`, note.params) : note.params.message || t("went_wrong")}</span>
    </p>
  );
}

/**
 * @param {{rows: import("./commands.js").Offer[]}} props
 */
function Offers({ rows }) {
  const list = useRef(/** @type {HTMLDivElement | null} */ (null));
  const index = Math.min(chosen.value, rows.length - 1);
  useEffect(() => list.current?.children[index]?.scrollIntoView?.({ block: "nearest" }), [index]);
  return (
    <div class="command-list" id="command-list" role="listbox" aria-label={t("commands")} ref={list}>
      {rows.map((row, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the message box, which has the focus
        <div
          key={row.value}
          id={`command-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === index}
          data-command={row.value.trim()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(row)}
        >
          <code>{row.usage}</code>
          <span>{t(`command_${row.key}`)}</span>
        </div>
      ))}
    </div>
  );
}

/**
 * @param {{about: string}} props a command's name, or nothing for all of them
 */
function Help({ about }) {
  const shown = commands.value.filter((one) => !about || one.name === about);
  return (
    <section class="command-help" tabIndex={0} aria-label={t("commands")}>
      <dl>
        {shown.flatMap((one) => [
          <div key={one.name}>
            <dt>
              <code>{one.usage}</code>
            </dt>
            <dd>{t(`command_${keyOf(one.name)}`)}</dd>
          </div>,
          ...(about ? one.options : []).map((option) => (
            <div key={option.name}>
              <dt>
                <code>{option.name}</code>
              </dt>
              <dd>{t(`command_${keyOf(`${one.name}_${option.name.replaceAll("-", "")}`)}`)}</dd>
            </div>
          )),
        ])}
      </dl>
      <p class="help">{t("commands_hint")}</p>
    </section>
  );
}
