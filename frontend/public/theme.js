// Before the first paint, so that a chosen theme does not flash. A file of its own: the page's policy has no inline scripts.
try {
  const theme = localStorage.getItem("sieve-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is off: the system's theme it is.
}
