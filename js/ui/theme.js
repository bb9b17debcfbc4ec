/**
 * The colour theme: `system` follows the computer, `light` and `dark` do not. The choice lives in the settings;
 * localStorage keeps a copy that prepaint.js can read in time.
 *
 * @param {string | undefined} mode
 */
export function applyTheme(mode) {
  if (mode === undefined) return;
  const root = document.documentElement;
  if (mode === "light" || mode === "dark") root.dataset.theme = mode;
  else delete root.dataset.theme;
  try {
    localStorage.setItem("themeMode", mode);
  } catch {
    // Without the copy the next page may paint once in the system's theme.
  }
}
