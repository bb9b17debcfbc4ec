import { signal } from "@preact/signals";
import { ext } from "../browser.js";
import { setLanguage } from "../i18n.js";
import { Connection } from "../port.js";
import { serverConfig } from "../servers.js";
import { applyTheme } from "../theme.js";

/**
 * State of the settings page. Python owns the truth; this page shows it and sends changes.
 *
 * @typedef {import("../types.js").ProviderView} ProviderView
 * @typedef {import("../types.js").SettingField} SettingField
 * @typedef {import("../types.js").BootStatus} BootStatus
 */

const CALL_TIMEOUT_MS = 30_000;
/** A test waits for a whole model answer, and a local model may have to load first. */
const TEST_TIMEOUT_MS = 360_000;

export const SECTIONS = /** @type {const} */ ([
  "providers",
  "pictures",
  "voice",
  "permissions",
  "general",
  "records",
  "about",
]);
/** @typedef {(typeof SECTIONS)[number]} Section */

export const line = signal(/** @type {import("../port.js").LineState} */ ("connecting"));
export const boot = signal(/** @type {BootStatus | null} */ (null));
export const providers = signal(/** @type {ProviderView[] | null} */ (null));
export const fields = signal(/** @type {SettingField[] | null} */ (null));
export const values = signal(/** @type {Record<string, any>} */ ({}));
export const vision = signal(/** @type {import("../types.js").AuxiliaryView | null} */ (null));
export const transcription = signal(/** @type {import("../types.js").AuxiliaryView | null} */ (null));
export const spending = signal(/** @type {import("../types.js").Spending | null} */ (null));
/** @type {import("@preact/signals").Signal<import("../types.js").PermissionView | null>} */
export const permissions = signal(/** @type {import("../types.js").PermissionView | null} */ (null));
export const problem = signal("");
export const section = signal(/** @type {Section} */ ("providers"));
/** What of the section is open: the address behind its name. */
export const detail = signal("");
/** Grows with every change of the recordings. */
export const recordsChanged = signal(0);

/** @type {Connection} */
let connection;

export function start() {
  readHash();
  addEventListener("hashchange", readHash);
  connection = new Connection({
    ext,
    onEvent: receive,
    onState: (state) => {
      line.value = state;
    },
  });
  connection.open();
  void loadProviders();
  void loadSettings();
  void loadAuxiliaries();
}

function readHash() {
  const [name, rest = ""] = location.hash.slice(1).split("/");
  detail.value = rest;
  section.value = SECTIONS.find((known) => known === name) ?? "providers";
}

/**
 * @param {string} method
 * @param {any} params
 */
function receive(method, params) {
  if (method === "boot") {
    boot.value = params;
    if (params.state === "ready") loadMissing();
  }
  if (method === "providers_changed") {
    void loadProviders();
    void loadAuxiliaries();
  }
  if (method === "vision_changed") vision.value = params;
  if (method === "transcription_changed") transcription.value = params;
  if (method === "spending_changed") spending.value = params;
  if (method === "permissions_changed") permissions.value = params;
  if (method === "traces_changed") recordsChanged.value += 1;
  if (method === "settings_changed") {
    values.value = { ...values.value, ...params.values };
    mirror(params.values ?? {});
  }
}

/** What was asked while Python was being replaced was never answered. */
function loadMissing() {
  if (!providers.value) void loadProviders();
  if (!fields.value) void loadSettings();
  if (!vision.value || !transcription.value) void loadAuxiliaries();
}

/** @param {Record<string, any>} changed */
function mirror(changed) {
  applyTheme(changed.themeMode);
  if (changed.wbLocale !== undefined) void setLanguage(changed.wbLocale);
}

export async function loadProviders() {
  try {
    const answer = await connection.call("providers.list");
    providers.value = answer.providers;
    problem.value = "";
  } catch (error) {
    problem.value = /** @type {Error} */ (error).message;
  }
}

export async function loadSettings() {
  try {
    const answer = await connection.call("settings.get");
    fields.value = answer.fields;
    values.value = answer.values;
    mirror({ themeMode: answer.values.themeMode, wbLocale: answer.values.wbLocale });
  } catch (error) {
    problem.value = /** @type {Error} */ (error).message;
  }
}

export async function loadAuxiliaries() {
  try {
    vision.value = await connection.call("vision.get");
    transcription.value = await connection.call("transcription.get");
  } catch (error) {
    problem.value = /** @type {Error} */ (error).message;
  }
}

export async function loadPermissions() {
  try {
    permissions.value = await connection.call("permissions.list");
  } catch (error) {
    problem.value = /** @type {Error} */ (error).message;
  }
}

/**
 * @param {string} host
 * @param {string} [capability] all of them without one
 */
export async function revokePermission(host, capability = "") {
  permissions.value = await connection.call(
    "permissions.revoke",
    { host, capability },
    { timeoutMs: CALL_TIMEOUT_MS },
  );
}

export async function loadSpending() {
  try {
    spending.value = await connection.call("spending.get");
  } catch (error) {
    problem.value = /** @type {Error} */ (error).message;
  }
}

export async function resetSpending() {
  spending.value = await connection.call("spending.reset", {}, { timeoutMs: CALL_TIMEOUT_MS });
}

/**
 * @param {string} provider
 * @param {string} model
 */
export async function chooseVision(provider, model) {
  const answer = await connection.call("vision.set", { provider, model }, { timeoutMs: CALL_TIMEOUT_MS });
  vision.value = { provider: answer.provider, model: answer.model, usable: answer.usable };
}

/**
 * @param {string} provider
 * @param {string} model
 * @returns {Promise<import("../types.js").TestResult>}
 */
export function testVision(provider, model) {
  return connection.call("vision.test", { provider, model }, { timeoutMs: TEST_TIMEOUT_MS });
}

/**
 * @param {string} provider
 * @param {string} model
 */
export async function chooseTranscription(provider, model) {
  const answer = await connection.call(
    "transcription.set",
    { provider, model },
    { timeoutMs: CALL_TIMEOUT_MS },
  );
  transcription.value = { provider: answer.provider, model: answer.model, usable: answer.usable };
}

/**
 * @param {string} provider
 * @param {string} model
 * @returns {Promise<import("../types.js").TestResult>}
 */
export function testTranscription(provider, model) {
  return connection.call("transcription.test", { provider, model }, { timeoutMs: TEST_TIMEOUT_MS });
}

/**
 * @param {string} key
 * @param {any} value
 */
export async function setSetting(key, value) {
  const before = values.value[key];
  values.value = { ...values.value, [key]: value };
  mirror({ [key]: value });
  try {
    const answer = await connection.call(
      "settings.set",
      { values: { [key]: value } },
      { timeoutMs: CALL_TIMEOUT_MS },
    );
    if (answer?.values && key in answer.values) values.value = { ...values.value, [key]: answer.values[key] };
  } catch (error) {
    values.value = { ...values.value, [key]: before };
    mirror({ [key]: before });
    throw error;
  }
}

/**
 * @param {string} id
 * @param {Record<string, any>} config
 */
export async function saveProvider(id, config) {
  const answer = await connection.call("providers.save", { id, config }, { timeoutMs: CALL_TIMEOUT_MS });
  if (answer?.provider)
    providers.value = (providers.value ?? []).map((view) => (view.id === id ? answer.provider : view));
}

/** @param {string} id */
export async function activateProvider(id) {
  await connection.call("providers.activate", { id }, { timeoutMs: CALL_TIMEOUT_MS });
  providers.value = (providers.value ?? []).map((view) => ({ ...view, active: view.id === id }));
}

/** @param {string} id */
export async function removeProvider(id) {
  await connection.call("providers.remove", { id }, { timeoutMs: CALL_TIMEOUT_MS });
  await loadProviders();
}

/** @returns {Promise<import("../types.js").FoundServer[]>} model servers on this computer */
export async function scanServers() {
  return (await connection.call("providers.scan", {}, { timeoutMs: CALL_TIMEOUT_MS })).found;
}

/**
 * Set a found server up and use it.
 *
 * @param {import("../types.js").FoundServer} server
 * @param {string} model
 */
export async function useServer(server, model) {
  const config = serverConfig(server, model);
  await saveProvider(server.id, config);
  await activateProvider(server.id);
}

/**
 * @param {string} id
 * @param {Record<string, any>} config values of the form, saved or not
 * @returns {Promise<import("../types.js").TestResult>}
 */
export function testProvider(id, config) {
  return connection.call("providers.test", { id, config }, { timeoutMs: TEST_TIMEOUT_MS });
}

/**
 * @param {string} id
 * @param {Record<string, any>} config
 * @returns {Promise<{ok: boolean, models: string[], facts?: Record<string, import("../types.js").ModelFacts>,
 *   baseUrl?: string, moved?: boolean, error?: any}>}
 */
export function listModels(id, config) {
  return connection.call("providers.models", { id, config }, { timeoutMs: CALL_TIMEOUT_MS });
}

/**
 * A call whose answer belongs to one component alone.
 *
 * @param {string} method
 * @param {any} [params]
 * @returns {Promise<any>}
 */
export const ask = (method, params = {}) => connection.call(method, params, { timeoutMs: CALL_TIMEOUT_MS });

export const retryBoot = () =>
  connection.call("boot.retry", {}, { timeoutMs: CALL_TIMEOUT_MS }).catch(() => {});
