/* The button that changes the page's colours: as the system has them, light, dark. Kept in the browser. */

const NEXT = { undefined: "light", light: "dark", dark: undefined };

export function createThemeButton(button) {
  const root = document.documentElement;

  function show() {
    const { wordsLight: light, wordsDark: dark, wordsAuto } = button.dataset;
    button.textContent = { light, dark }[root.dataset.theme] ?? wordsAuto;
  }

  show();

  return {
    change() {
      const next = NEXT[root.dataset.theme];
      if (next) root.dataset.theme = next;
      else delete root.dataset.theme;
      try {
        localStorage.setItem("groupx.theme", next ?? "auto");
      } catch {
        // chosen for this page only
      }
      show();
    },
  };
}
