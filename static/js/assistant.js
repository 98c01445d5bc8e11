/* The drawer of the room's assistant: opened by its button or Ctrl+J, beside the room or over it. */

import { createAssistantDesk } from "./assistant_desk.js";
import { createAssistantView } from "./assistant_view.js";
import { exampleWords, stateTone, stateWords } from "./assistant_words.js";
import { isBlank } from "./draft.js";
import { partsIn, piece } from "./elements.js";
import { sendOnEnter } from "./message_box.js";
import { sentenceWords } from "./words.js";

const HIDDEN_FRAME_MS = 500; // a tab out of sight gets no animation frames
const IS_OPEN = "groupx.assistant.open"; // of this tab

/* page: the body; drawer: its element; button: what opens it; behind: what it covers on a small screen; agents(): names of
   who is in the room. */
export function createAssistant({ page, drawer, button, behind, agents }) {
  const parts = partsIn(drawer);
  const view = createAssistantView({ log: parts.talk, entries: parts["talk-entries"] });
  const coversAll = window.matchMedia("(max-width: 480px)");
  const isOverlay = window.matchMedia("(max-width: 900px)");
  const desk = createAssistantDesk({
    onChange: drawSoon,
    onRefused(content, problem) {
      setDraft([content, parts.text.value].filter((text) => text !== "").join("\n"));
      showProblem(problem);
      drawSoon();
    },
    onTrouble: showProblem,
  });
  let isFrameDue = false;
  let wasUnderWay = false;
  let hasNews = false;

  const isOpen = () => !drawer.hidden;

  /* ---------------------------------------------------------------- what is shown */

  function drawSoon() {
    if (isFrameDue) return;
    isFrameDue = true;
    if (document.hidden) setTimeout(draw, HIDDEN_FRAME_MS);
    else requestAnimationFrame(draw);
  }

  function draw() {
    isFrameDue = false;
    drawButton();
    if (!isOpen()) return;
    const about = desk.about();
    const shown = desk.rows();
    const isMissing = about !== null && !about.configured;
    parts["talk-name"].textContent = about?.configured && about.name !== "Assistant" ? about.name : gettext("Assistant");
    parts["talk-state"].textContent = stateWords(about, desk.isConnected());
    parts["talk-dot"].dataset.tone = stateTone(about, desk.isConnected());
    parts["talk-missing"].hidden = !isMissing;
    parts["talk-form"].hidden = isMissing;
    parts["talk-empty"].hidden = isMissing || shown.length > 0 || !desk.isLoaded();
    drawTrouble(about?.status === "failed" ? (about.lastError ?? null) : null);
    view.render(shown);
  }

  function drawTrouble(error) {
    parts["talk-trouble"].hidden = error === null;
    parts["talk-trouble-words"].textContent = error ? sentenceWords(error.message) : "";
    parts["talk-trouble-hint"].textContent = error?.hint ? sentenceWords(error.hint) : "";
    parts["talk-trouble-code"].textContent = error?.code ?? "";
  }

  /* Of a closed drawer: that it works, or has something to read. */
  function drawButton() {
    const isUnderWay = desk.isUnderWay();
    hasNews = !isOpen() && (hasNews || (wasUnderWay && !isUnderWay));
    wasUnderWay = isUnderWay;
    const isWorking = isUnderWay && !isOpen();
    button.dataset.mark = isWorking ? "work" : hasNews ? "news" : "";
    const words = isWorking ? gettext("Assistant, working") : hasNews ? gettext("Assistant, has finished") : "";
    if (words === "") button.removeAttribute("aria-label");
    else button.setAttribute("aria-label", words);
  }

  function drawExamples() {
    parts.examples.replaceChildren(...exampleWords(agents()).map((words) => {
      const example = piece("button", "assistant-example", words);
      example.type = "button";
      example.addEventListener("click", () => {
        setDraft(words);
        parts.text.focus();
      });
      return example;
    }));
  }

  function showProblem(text) {
    parts.problem.hidden = text === "";
    parts.problem.textContent = text;
  }

  function setDraft(text) {
    parts.text.value = text;
    desk.keepDraft(text);
  }

  /* ---------------------------------------------------------------- opening and closing */

  function show(isShown) {
    drawer.hidden = !isShown;
    page.dataset.assistant = isShown ? "open" : "closed";
    button.setAttribute("aria-expanded", String(isShown));
    cover();
    remember(isShown);
    if (isShown) drawExamples();
    desk.look(isShown);
    draw();
  }

  /* What cannot be seen is not for the keyboard either. */
  function cover() {
    for (const element of behind) element.inert = isOpen() && coversAll.matches;
  }

  function open() {
    show(true);
    view.toEnd();
    parts.text.focus();
  }

  function close() {
    show(false);
    button.focus();
  }

  coversAll.addEventListener("change", cover);

  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "j" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault(); // the browser's downloads
    if (document.querySelector("dialog[open]")) return;
    if (isOpen() && drawer.contains(document.activeElement)) close();
    else open();
  });

  /* Both lie over the room where it is narrow: the agents come instead. */
  document.addEventListener("click", ({ target }) => {
    if (isOpen() && isOverlay.matches && target.closest(".roster-button")) show(false);
  });

  drawer.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    close();
  });

  /* ---------------------------------------------------------------- writing */

  function send() {
    const content = parts.text.value;
    if (isBlank(content)) return;
    setDraft("");
    showProblem("");
    view.toEnd();
    desk.ask(content);
  }

  const DO = {
    stop: desk.stop,
    "ask-again": desk.askAgain,
    "take-back"(key) {
      desk.takeBack(key);
      parts.text.focus();
    },
  };

  parts["talk-entries"].addEventListener("click", ({ target }) => {
    const pressed = target.closest("[data-do]");
    if (pressed) DO[pressed.dataset.do](pressed.closest("[data-key]").dataset.key);
  });

  parts["talk-form"].addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  parts.text.addEventListener("input", () => {
    desk.keepDraft(parts.text.value);
    showProblem("");
  });

  sendOnEnter(parts.text, { send, escape: () => false });
  parts.text.value = desk.draft();

  return {
    actions: {
      assistant: () => (isOpen() ? close() : open()),
      "close-assistant": close,
    },

    /* The room is there. What was open before a reload opens again; the keyboard stays where it is. */
    begin() {
      if (wasOpen() && !isOpen()) show(true);
      else desk.look(isOpen());
    },

    /* The room answers again. */
    retryUncertain: desk.sendUnsent,
  };
}

function remember(isOpen) {
  try {
    sessionStorage.setItem(IS_OPEN, isOpen ? "yes" : "no");
  } catch {
    // it is closed after a reload
  }
}

function wasOpen() {
  try {
    return sessionStorage.getItem(IS_OPEN) === "yes";
  } catch {
    return false;
  }
}
