/* What surrounds the log: the connection's state, trouble, the theme, the agents' drawer on small screens. */

import { createThemeButton } from "./theme_button.js";

const OFFLINE_AFTER_MS = 1_500; // a blink of the connection is not worth a banner
const KEEPS_ROSTER = ".roster, .roster-button, [data-opens-roster], dialog";

/* page: the body; part(name): an element of the page; onConnected(): the room answers; inNames(sentence): what is said of
   a trouble with names for ids. */
export function createPageFrame({ page, part, onConnected, inNames = (text) => text }) {
  const theme = createThemeButton(page.querySelector('[data-action="theme"]'));
  const rosterButton = page.querySelector(".roster-button");
  let offlineTimer = null;

  /* state: of the stream, see openStream. */
  function showLink(state) {
    const isOpen = state === "open";
    part("link-dot").dataset.tone = isOpen ? "ok" : "warn";
    const words = isOpen ? gettext("Connected") : gettext("Reconnecting");
    if (part("link-words").textContent !== words) part("link-words").textContent = words;
    if (isOpen) {
      clearTimeout(offlineTimer);
      offlineTimer = null;
      part("offline").hidden = true;
      onConnected();
    } else {
      offlineTimer ??= setTimeout(showOffline, OFFLINE_AFTER_MS);
    }
  }

  function showOffline() {
    part("offline").textContent = gettext("GroupX does not answer. This page connects again by itself; what you write stays here.");
    part("offline").hidden = false;
  }

  function showTrouble(error) {
    part("trouble").hidden = false;
    part("trouble-words").textContent = inNames(error.message);
    part("trouble-code").textContent = error.code ?? "";
  }

  function hideTrouble() {
    part("trouble").hidden = true;
  }

  function showRoster(isOpen) {
    page.dataset.roster = isOpen ? "open" : "closed";
    rosterButton.setAttribute("aria-expanded", String(isOpen));
  }

  /* Its path as it was when it was pressed: a button may be gone by now. */
  document.addEventListener("click", (event) => {
    if (!event.composedPath().some((element) => element.matches?.(KEEPS_ROSTER))) showRoster(false);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || page.dataset.roster !== "open" || event.target.closest("dialog")) return;
    showRoster(false);
    rosterButton.focus();
  });

  return {
    showLink,
    showTrouble,
    hideTrouble,
    openRoster: () => showRoster(true),
    actions: {
      theme: theme.change,
      roster: () => showRoster(page.dataset.roster !== "open"),
      "dismiss-trouble": hideTrouble,
    },
  };
}
