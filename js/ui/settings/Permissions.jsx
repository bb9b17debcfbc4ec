import { useEffect, useState } from "preact/hooks";
import { t } from "../i18n.js";
import { Icon } from "../shared/icons.jsx";
import { SettingGroups } from "./Setting.jsx";
import { loadPermissions, permissions, revokePermission } from "./store.js";

/** Whether it is asked at all, and what sites are allowed or denied for good. */
export function Permissions() {
  useEffect(() => void loadPermissions(), []);
  return (
    <section aria-labelledby="permissions-title">
      <h2 id="permissions-title">{t("permissions")}</h2>
      <SettingGroups shows={(name) => name === "permissions"} />
      <fieldset class="setting-group">
        <legend>{t("permissions_sites")}</legend>
        <Sites />
      </fieldset>
    </section>
  );
}

function Sites() {
  const [problem, setProblem] = useState("");
  const view = permissions.value;
  if (!view) return null;
  if (!view.sites.length) return <p class="help permissions-none">{t("permissions_none")}</p>;
  /**
   * @param {string} host
   * @param {string} [capability]
   */
  const revoke = async (host, capability) => {
    try {
      await revokePermission(host, capability);
      setProblem("");
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message || t("went_wrong"));
    }
  };
  return (
    <>
      <p class="help">{t("permissions_help")}</p>
      {problem && (
        <p class="setting-state bad" role="alert">
          <Icon name="alert" size={12} /> {problem}
        </p>
      )}
      <ul class="sites">
        {view.sites.map((site) => (
          <li key={site.host} data-site={site.host}>
            <div class="site-head">
              <strong>
                <bdi>{site.shown}</bdi>
              </strong>
              <button
                type="button"
                class="link-button"
                data-revoke=""
                aria-label={t("revoke_all", { host: site.shown })}
                onClick={() => revoke(site.host)}
              >
                {t("revoke")}
              </button>
            </div>
            <ul class="site-grants">
              {site.grants.map((grant) => (
                <li key={grant.capability} class={grant.action}>
                  <span>
                    {t(`grant_${grant.action}`)}: {t(`can_${grant.capability}`)}
                  </span>
                  <button
                    type="button"
                    class="icon-button"
                    data-revoke={grant.capability}
                    aria-label={`${t("revoke")}: ${t(`can_${grant.capability}`)}, ${site.shown}`}
                    title={t("revoke")}
                    onClick={() => revoke(site.host, grant.capability)}
                  >
                    <Icon name="cross" size={12} />
                  </button>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  );
}
