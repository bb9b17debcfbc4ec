import { useEffect, useState } from "preact/hooks";
import { number } from "../format.js";
import { t, tn } from "../i18n.js";
import { Icon, Spinner } from "./icons.jsx";

/** @typedef {import("../types.js").FoundServer} FoundServer */

/**
 * Model servers on this computer, to use with one click.
 *
 * @param {{scan: () => Promise<FoundServer[]>, use: (server: FoundServer, model: string) => Promise<void>,
 *   auto: boolean}} props `auto` looks by itself when shown
 */
export function Servers({ scan, use, auto }) {
  const [found, setFound] = useState(/** @type {FoundServer[] | null} */ (null));
  const [looking, setLooking] = useState(false);
  const [problem, setProblem] = useState("");
  const look = async () => {
    setLooking(true);
    setProblem("");
    try {
      setFound(await scan());
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message || t("went_wrong"));
    }
    setLooking(false);
  };
  useEffect(() => {
    if (auto) void look();
  }, []);
  return (
    <section class="servers" aria-labelledby="servers-title">
      <div class="servers-head">
        <h3 id="servers-title">{t("servers_title")}</h3>
        <button type="button" class="link-button" data-action="scan" disabled={looking} onClick={look}>
          {looking && <Spinner />}
          {t(looking ? "looking" : found ? "look_again" : "look_for_servers")}
        </button>
      </div>
      <p class={found?.length ? "visually-hidden" : "servers-none"} role="status">
        {!looking && found && (found.length ? tn("servers_found", found.length) : t("no_server_found"))}
      </p>
      {problem && (
        <p class="servers-problem" role="alert">
          {problem}
        </p>
      )}
      {found && found.length > 0 && (
        <ul>
          {found.map((server) => (
            <Server key={server.baseUrl} server={server} use={use} />
          ))}
        </ul>
      )}
    </section>
  );
}

/**
 * @param {{server: FoundServer, use: (server: FoundServer, model: string) => Promise<void>}} props
 */
function Server({ server, use }) {
  const [model, setModel] = useState(server.model);
  const [work, setWork] = useState(false);
  const [failed, setFailed] = useState("");
  const id = `server-${server.id}`;
  const facts = model === server.model ? { ...server, ...server.facts[model] } : server.facts[model];
  const onUse = async () => {
    setWork(true);
    setFailed("");
    try {
      await use(server, model);
    } catch (error) {
      setFailed(/** @type {Error} */ (error).message || t("went_wrong"));
    }
    setWork(false);
  };
  return (
    <li data-server={server.id}>
      <p class="server-name">
        <strong>{server.label}</strong> <span class="server-address">{server.baseUrl}</span>
      </p>
      {server.problem && (
        <div class="server-problem">
          <Icon name="alert" size={14} />
          <div>
            <p>{server.problem.message}</p>
            {server.problem.hint && <p class="server-hint">{server.problem.hint}</p>}
          </div>
        </div>
      )}
      <div class="server-choice">
        {server.models.length > 1 ? (
          <select
            id={id}
            aria-label={t("model_of", { name: server.label })}
            value={model}
            onChange={(event) => setModel(event.currentTarget.value)}
          >
            {server.models.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          model && <p class="server-model">{model}</p>
        )}
        {!server.problem && (
          <button
            type="button"
            class="button"
            data-action="use-server"
            disabled={work || server.active}
            onClick={onUse}
          >
            {work && <Spinner />}
            {server.active ? t("state_active") : t("use_server", { name: server.label })}
          </button>
        )}
      </div>
      {facts && !server.problem && <Facts facts={facts} />}
      {failed && (
        <p class="servers-problem" role="alert">
          {failed}
        </p>
      )}
    </li>
  );
}

/**
 * What is known of a model.
 *
 * @param {{facts: import("../types.js").ModelFacts}} props
 */
export function Facts({ facts }) {
  const said = [
    facts.contextWindow && t("context_of", { count: number(facts.contextWindow) }),
    facts.supportsVision && t("reads_pictures"),
  ].filter(Boolean);
  return said.length > 0 && <p class="model-facts">{said.join(" · ")}</p>;
}
