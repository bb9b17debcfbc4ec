import { useRef, useState } from "preact/hooks";
import { t, tn } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { Servers } from "../shared/Servers.jsx";
import { ProviderForm } from "./ProviderForm.jsx";
import { loadProviders, problem, providers, scanServers, useServer } from "./store.js";

/** @typedef {import("../types.js").ProviderView} ProviderView */

const CATEGORIES = ["all", "local", "cloud", "router", "custom"];

export function Providers() {
  const [search, setSearch] = useState("");
  const [category, setCategory] = useState("all");
  const [open, setOpen] = useState("");
  const list = providers.value;
  // As it was when the page was opened: a row must not jump away from under the hand that just chose it.
  const ranks = useRef(/** @type {Map<string, number>} */ (new Map())).current;
  for (const view of list ?? []) if (!ranks.has(view.id)) ranks.set(view.id, rank(view));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (list ?? [])
    .filter((view) => category === "all" || view.category === category)
    .filter((view) => matches(view, words))
    .sort((a, b) => (ranks.get(a.id) ?? 0) - (ranks.get(b.id) ?? 0));
  const present = CATEGORIES.filter((name) => name === "all" || list?.some((view) => view.category === name));

  return (
    <section aria-labelledby="providers-title">
      <h2 id="providers-title">{t("providers")}</h2>
      <p class="lead">{t("providers_lead")}</p>
      <InUse list={list} />
      {list && <Servers scan={scanServers} use={useServer} auto={!list.some((view) => view.active)} />}
      <div class="filters">
        <label class="search">
          <Icon name="search" />
          <span class="visually-hidden">{t("search_providers")}</span>
          <input
            type="search"
            id="provider-search"
            placeholder={t("search_providers")}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        </label>
        <fieldset class="chips" hidden={!list}>
          <legend class="visually-hidden">{t("category")}</legend>
          {present.map((name) => (
            <label key={name} class="chip">
              <input
                type="radio"
                name="category"
                value={name}
                checked={category === name}
                onChange={() => setCategory(name)}
              />
              <span>{t(`category_${name}`)}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <p class="visually-hidden" role="status">
        {list ? tn("providers_found", shown.length) : ""}
      </p>
      {list === null && !problem.value && <Loading />}
      {problem.value && (
        <div class="result result-bad" role="alert">
          <Icon name="alert" />
          <div>
            <p>{problem.value}</p>
            <button type="button" class="button" onClick={loadProviders}>
              {t("try_again")}
            </button>
          </div>
        </div>
      )}
      {list && shown.length === 0 && <p class="nothing">{t("no_provider_found")}</p>}
      <ul class="providers">
        {shown.map((view) => (
          <Provider
            key={view.id}
            view={view}
            open={open === view.id}
            onToggle={() => setOpen(open === view.id ? "" : view.id)}
          />
        ))}
      </ul>
    </section>
  );
}

/**
 * @param {{list: ProviderView[] | null}} props
 */
function InUse({ list }) {
  if (!list) return null;
  const active = list.find((view) => view.active);
  return (
    <p class={`in-use ${active ? "" : "in-use-none"}`} id="in-use">
      <span class={`dot dot-${active ? "ready" : "none"}`} aria-hidden="true" />
      {active ? (
        <span>
          {t("in_use")} <strong>{active.label}</strong>
          {active.model && <span class="muted"> · {active.model}</span>}
        </span>
      ) : (
        <span>{t("none_in_use")}</span>
      )}
    </p>
  );
}

/**
 * @param {{view: ProviderView, open: boolean, onToggle: () => void}} props
 */
function Provider({ view, open, onToggle }) {
  const state = view.active ? "active" : view.configured ? "configured" : "";
  return (
    <li class={`provider ${open ? "open" : ""} ${view.active ? "active" : ""}`} data-provider={view.id}>
      <h3>
        <button
          type="button"
          class="provider-row"
          aria-expanded={open}
          aria-controls={open ? `form-${view.id}` : undefined}
          onClick={onToggle}
        >
          <span class="monogram" aria-hidden="true">
            {view.label.slice(0, 1)}
          </span>
          <span class="provider-name">
            <span class="provider-label">{view.label}</span>
            <span class="provider-sub">
              {t(`category_${view.category}`)}
              {view.model && ` · ${view.model}`}
            </span>
          </span>
          {state && <span class={`badge badge-${state}`}>{t(`state_${state}`)}</span>}
          <span class="provider-chevron">
            <Icon name="chevron" size={14} />
          </span>
        </button>
      </h3>
      {open && <ProviderForm view={view} />}
    </li>
  );
}

function Loading() {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{t("loading")}</span>
      {[0, 1, 2].map((row) => (
        <span key={row} class="loading-row" />
      ))}
    </div>
  );
}

/**
 * In use first, then what is set up, then the rest in the catalog's own order.
 *
 * @param {ProviderView} view
 */
function rank(view) {
  return view.active ? 0 : view.configured ? 1 : 2;
}

/**
 * @param {ProviderView} view
 * @param {string[]} words
 */
function matches(view, words) {
  const text = `${view.label} ${view.id} ${view.model} ${view.baseUrl} ${view.category}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
