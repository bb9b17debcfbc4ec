import { ext } from "../browser.js";
import { duration, number } from "../format.js";
import { t } from "../i18n.js";
import { Mark } from "../shared/icons.jsx";
import { boot, retryBoot } from "./store.js";

/** What travels inside the extension, and on which terms. */
const PARTS = [
  ["CPython", "PSF-2.0"],
  ["Pyodide", "MPL-2.0"],
  ["pydantic", "MIT"],
  ["jsonschema", "MIT"],
  ["pypdf", "BSD-3-Clause"],
  ["Preact", "MIT"],
  ["marked", "MIT"],
  ["DOMPurify", "MPL-2.0 / Apache-2.0"],
  ["idb", "ISC"],
];

export function About() {
  const status = boot.value;
  const total = status?.totalMs ?? status?.phases.reduce((sum, phase) => sum + phase.ms, 0) ?? 0;
  return (
    <section aria-labelledby="about-title" class="about">
      <h2 id="about-title">{t("about")}</h2>
      <div class="about-head">
        <Mark size={40} />
        <div>
          <p class="about-name">WebBrain</p>
          <p class="muted">{t("version", { version: ext.runtime.getManifest().version })}</p>
        </div>
      </div>
      <h3>{t("start_title")}</h3>
      {status?.state === "failed" ? (
        <div class="result result-bad" role="alert">
          <div>
            <p>
              <strong>{t("boot_failed_title")}</strong>
            </p>
            <p>{status.reason}</p>
            <button type="button" class="button" onClick={retryBoot}>
              {t("try_again")}
            </button>
          </div>
        </div>
      ) : (
        <p class="muted">
          {status?.state === "ready"
            ? t(status.mode === "plain" ? "start_plain" : "start_snapshot", { time: duration(total) })
            : t("starting")}
        </p>
      )}
      {status && status.phases.length > 0 && (
        <table class="timings">
          <caption class="visually-hidden">{t("start_title")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("phase")}</th>
              <th scope="col">{t("time")}</th>
            </tr>
          </thead>
          <tbody>
            {status.phases.map((phase) => (
              <tr key={phase.name}>
                <th scope="row">{phase.name}</th>
                <td>{number(phase.ms)} ms</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h3>{t("licences")}</h3>
      <p class="muted">{t("licence_own")}</p>
      <table class="timings">
        <caption class="visually-hidden">{t("licences")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("part")}</th>
            <th scope="col">{t("licence")}</th>
          </tr>
        </thead>
        <tbody>
          {PARTS.map(([name, licence]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{licence}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
