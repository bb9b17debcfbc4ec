import { t } from "../i18n.js";
import { SettingGroups } from "./Setting.jsx";
import { Spending } from "./Spending.jsx";

/** Groups with a page of their own. */
const ELSEWHERE = new Set(["pictures", "voice", "permissions", "records"]);

export function General() {
  return (
    <section aria-labelledby="general-title">
      <h2 id="general-title">{t("general")}</h2>
      <SettingGroups shows={(name) => !ELSEWHERE.has(name)} after={{ cost: <Spending /> }} />
    </section>
  );
}
