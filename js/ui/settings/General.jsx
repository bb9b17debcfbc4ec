import { t } from "../i18n.js";
import { SettingGroups } from "./Setting.jsx";
import { Spending } from "./Spending.jsx";

export function General() {
  return (
    <section aria-labelledby="general-title">
      <h2 id="general-title">{t("general")}</h2>
      <SettingGroups shows={(name) => name !== "pictures"} after={{ cost: <Spending /> }} />
    </section>
  );
}
