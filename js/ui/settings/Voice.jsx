import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { askForMicrophone, mayListen } from "../microphone.js";
import { Icon, Spinner } from "../shared/icons.jsx";
import { Auxiliary } from "./Auxiliary.jsx";
import { SettingGroups } from "./Setting.jsx";
import { chooseTranscription, testTranscription, transcription } from "./store.js";

/** Ends the address of this page where the panel sends people to be asked for the microphone. */
const ASK_AT_ONCE = "/allow";

export function Voice() {
  const usable = Boolean(transcription.value?.usable);
  return (
    <section aria-labelledby="voice-title">
      <h2 id="voice-title">{t("voice")}</h2>
      <p class="lead">{t("voice_lead")}</p>
      <Auxiliary
        name="transcription"
        stored={transcription.value}
        texts={{
          title: t("transcription_model"),
          help: t("transcription_help"),
          passed: t("transcription_passed"),
        }}
        able={(view) => Boolean(view.transcribes)}
        usual={(view) => view.transcriptionModel ?? ""}
        modelHelp={(view) =>
          view.transcriptionModel
            ? t("transcription_name_help", { model: view.transcriptionModel })
            : t("transcription_name_needed")
        }
        auto={t("transcription_auto")}
        choose={chooseTranscription}
        test={testTranscription}
      />
      <SettingGroups shows={(name) => name === "voice"} after={{ voice: usable && <Microphone /> }} />
    </section>
  );
}

/** The browser's own permission, which it can only be asked for in a tab. */
function Microphone() {
  const [state, setState] = useState(
    /** @type {import("../microphone.js").Permission | "asking"} */ ("prompt"),
  );
  const ask = async () => {
    setState("asking");
    setState(await askForMicrophone());
  };
  useEffect(() => {
    const arrive = () => {
      if (location.hash.endsWith(ASK_AT_ONCE)) void ask();
    };
    addEventListener("hashchange", arrive);
    void mayListen().then(setState).then(arrive);
    return () => removeEventListener("hashchange", arrive);
  }, []);
  return (
    <div class="setting setting-microphone" id="microphone">
      <div class="setting-text">
        <div class="setting-head">
          <p class="setting-title">{t("microphone")}</p>
        </div>
        <p class="help" role="status">
          {state === "granted" && <Icon name="check" size={12} />} {t(`microphone_${state}`)}
        </p>
      </div>
      {state !== "granted" && (
        <div class="setting-control">
          <button
            type="button"
            class="button"
            data-action="allow-microphone"
            disabled={state === "asking"}
            onClick={ask}
          >
            {state === "asking" && <Spinner />}
            {t("microphone_allow")}
          </button>
        </div>
      )}
    </div>
  );
}
