/* The dialog that shows what agents are given: one tab for each, the text in its sections. textContent only. */

import { ApiError } from "./api.js";
import { cloneTemplate, partsIn } from "./elements.js";
import { sectionsOf } from "./packet_sections.js";
import { charactersWords, omissionWords, sectionTitle, sizeWords } from "./packet_words.js";
import { showText } from "./text_blocks.js";

const OPEN_CHARS = 4_000; // a section this short is open at first
const ALWAYS_THE_SAME = "groupx_protocol";
const STEP_OF = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/* dialog: its element; maxCharacters(): the limit of what an agent is given. */
export function createPacketView({ dialog, maxCharacters }) {
  const parts = partsIn(dialog);
  let packets = [];
  let shown = 0;
  let opening = 0; // the newest try; what an older one brings is dropped
  let opener = null;

  /* title, about: what the dialog is called and what it shows; load(): a promise of what each agent is given: [{name,
     colour, text, characters, omissions, needsCompaction, problem: {code, message} or null}], with a problem no text. */
  async function open({ title, about, load }) {
    const mine = (opening += 1);
    opener = document.activeElement;
    dialog.setAttribute("aria-label", title);
    parts.title.textContent = title;
    parts.about.textContent = about;
    showPackets([]);
    say(gettext("One moment…"));
    parts.body.setAttribute("aria-busy", "true");
    if (!dialog.open) dialog.showModal();
    let loaded;
    try {
      loaded = await load();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mine === opening) sayTrouble(error);
      return;
    } finally {
      if (mine === opening) parts.body.setAttribute("aria-busy", "false");
    }
    if (mine !== opening) return;
    say("");
    showPackets(loaded);
  }

  function say(words, code = "", isBad = false) {
    parts.state.hidden = words === "";
    parts.state.toggleAttribute("data-bad", isBad);
    parts["state-words"].textContent = words;
    parts["state-code"].textContent = code;
  }

  const sayTrouble = ({ message, code }) => say(message, code ?? "", true);

  /* ---------------------------------------------------------------- tabs */

  function showPackets(loaded) {
    packets = loaded;
    parts.panel.hidden = packets.length === 0;
    parts.tabs.hidden = packets.length < 2;
    parts.tabs.replaceChildren(...packets.map(({ name, colour }) => {
      const tab = cloneTemplate("packet-tab");
      tab.dataset.colour = colour;
      tab.textContent = name;
      return tab;
    }));
    if (packets.length > 0) show(0);
  }

  function show(index) {
    shown = index;
    [...parts.tabs.children].forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === index));
      tab.tabIndex = at === index ? 0 : -1;
    });
    const packet = packets[index];
    parts.panel.setAttribute("aria-label", packet.name);
    parts.body.scrollTop = 0;
    parts.copied.textContent = "";
    const isBuilt = packet.problem === null;
    for (const name of ["size", "copy"]) parts[name].hidden = !isBuilt;
    if (isBuilt) say("");
    else sayTrouble(packet.problem);
    parts.size.textContent = isBuilt ? sizeWords(packet.characters, maxCharacters()) : "";
    parts.compaction.hidden = !packet.needsCompaction;
    parts.omissions.replaceChildren(...(isBuilt ? leftOutOf(packet) : []));
    parts.sections.replaceChildren(...(isBuilt ? sectionsOf(packet.text).map(drawSection) : []));
    parts.sections.hidden = !isBuilt;
  }

  parts.tabs.addEventListener("click", (event) => {
    const at = [...parts.tabs.children].indexOf(event.target.closest('[role="tab"]'));
    if (at >= 0) show(at);
  });

  parts.tabs.addEventListener("keydown", (event) => {
    const last = packets.length - 1;
    const step = STEP_OF[event.key];
    const to = { Home: 0, End: last }[event.key] ?? (step === undefined ? null : (shown + step + packets.length) % packets.length);
    if (to === null) return;
    event.preventDefault();
    show(to);
    parts.tabs.children[to].focus();
  });

  /* ---------------------------------------------------------------- the rest */

  parts.copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(packets[shown].text);
      parts.copied.textContent = gettext("Copied");
    } catch {
      parts.copied.textContent = gettext("The browser does not let GroupX copy."); // no permission, or no safe address
    }
  });

  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest('[data-part="close"]')) dialog.close(); // or beside it
  });

  dialog.addEventListener("close", () => {
    opening += 1;
    showPackets([]);
    if (opener?.isConnected) opener.focus();
  });

  return { open };
}

function leftOutOf({ omissions, needsCompaction }) {
  const { roomDelta, ...others } = omissions;
  const words = omissionWords(needsCompaction ? others : omissions); // what is summed up is not left out
  if (words.length === 0 && !needsCompaction) words.push(gettext("Nothing is left out."));
  return words.map((text) => {
    const line = document.createElement("li");
    line.textContent = text;
    return line;
  });
}

/* A long section is put into the page when it is opened. */
function drawSection({ name, text, characters }) {
  const element = cloneTemplate("packet-section");
  const parts = partsIn(element);
  const title = sectionTitle(name);
  parts.name.textContent = title ?? name;
  parts.original.textContent = title === null ? "" : name;
  parts.length.textContent = charactersWords(characters);
  parts.text.toggleAttribute("data-big", text.length > OPEN_CHARS);
  element.addEventListener("toggle", () => {
    if (element.open) showText(parts.text, text);
  });
  element.open = text.length <= OPEN_CHARS && name !== ALWAYS_THE_SAME;
  return element;
}
