/**
 * The form values that set a found server up. A model is named only where there is a choice or a need: a server that
 * serves whatever it has loaded keeps working when that changes.
 *
 * @param {import("./types.js").FoundServer} server
 * @param {string} model
 * @returns {Record<string, string>}
 */
export function serverConfig(server, model) {
  const named = server.needsModel || server.models.length > 1;
  return { baseUrl: server.baseUrl, model: named ? model : "" };
}
