/* Before the first paint: the chosen colours, if any were chosen. A classic script, since modules run too late. */
(() => {
  try {
    const theme = localStorage.getItem("groupx.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // no storage: the system's colours
  }
})();
