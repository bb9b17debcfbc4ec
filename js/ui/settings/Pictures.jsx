import { t } from "../i18n.js";
import { Auxiliary } from "./Auxiliary.jsx";
import { SettingGroups } from "./Setting.jsx";
import { chooseVision, testVision, vision } from "./store.js";

export function Pictures() {
  return (
    <section aria-labelledby="pictures-title">
      <h2 id="pictures-title">{t("pictures")}</h2>
      <p class="lead">{t("pictures_lead")}</p>
      <Auxiliary
        name="vision"
        stored={vision.value}
        texts={{ title: t("vision_model"), help: t("vision_help"), passed: t("vision_read") }}
        able={() => true}
        usual={(view) => view.model}
        modelHelp={(view) => t("vision_name_help", { name: view.label })}
        choose={chooseVision}
        test={testVision}
      />
      <SettingGroups shows={(name) => name === "pictures"} />
    </section>
  );
}
