// Runs before the first paint, so that a chosen theme or language does not flash in late. A classic script on
// purpose: modules wait for the document. theme.js and i18n.js keep these two mirrors of the settings.
try {
  const theme = localStorage.getItem("themeMode");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const locale = localStorage.getItem("wbLocale");
  if (locale) document.documentElement.lang = locale;
} catch {
  // Storage may be blocked; the system's theme is a fine default.
}
