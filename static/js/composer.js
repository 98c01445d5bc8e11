/* Writing a message: recipients as chips, text as text. What is typed routes nothing. */

import { newCommandId, sendMessage } from "./api.js";
import { cloneCard } from "./cards.js";
import { emptyDraft, lengthOf, loadDraft, requestOf, saveDraft } from "./draft.js";
import { refusalOf, sendOnEnter } from "./message_box.js";
import { listWords, numberWords } from "./words.js";

const EVERYONE = "@all";
const NEAR_LIMIT = 0.9;

/* form: the composer's element; draftKey: where the draft is kept; onSent(): after the room accepted a message. */
export function createComposer({ form, draftKey, colourOf, onSent }) {
  const parts = {};
  for (const part of form.querySelectorAll("[data-part]")) parts[part.dataset.part] = part;
  let draft = loadDraft(localStorage, draftKey);
  let agents = [];
  let hasRoom = false; // the room has told who is in it
  let limit = Infinity;
  let isSending = false;
  let isUncertain = false; // sent, and nobody knows whether it arrived

  parts.text.value = draft.content;

  function change(changes) {
    draft = { ...draft, ...changes };
    saveDraft(localStorage, draftKey, draft);
    show();
  }

  /* ---------------------------------------------------------------- what is shown */

  function show() {
    for (const chip of parts.chips.children) chip.setAttribute("aria-pressed", String(draft.to.includes(chip.dataset.to)));
    const names = agents.filter(({ actorId }) => draft.to.includes(actorId)).map(({ displayName }) => displayName);
    if (hasRoom && agents.length === 0) parts.text.placeholder = gettext("There is nobody to write to yet.");
    else if (draft.to.includes(EVERYONE)) parts.text.placeholder = gettext("Write to everyone.");
    else if (names.length > 0) parts.text.placeholder = interpolate(gettext("Write to %s."), [listWords(names)]);
    else parts.text.placeholder = gettext("Pick who should answer, then write.");
    parts.reply.hidden = draft.replyTo === null;
    parts["reply-words"].textContent = draft.replyTo
      ? interpolate(gettext("Reply to %s"), [draft.replyTo.words])
      : "";
    showLength();
  }

  function showLength() {
    const isNear = draft.content.length > limit * NEAR_LIMIT;
    const length = isNear ? lengthOf(draft.content) : 0;
    const isOver = length > limit;
    parts.count.hidden = !isNear;
    parts.count.toggleAttribute("data-over", isOver);
    if (isNear) {
      parts.count.textContent = interpolate(gettext("%s of %s characters"), [numberWords(length), numberWords(limit)]);
    }
    parts.send.disabled = isSending || isOver;
  }

  function showProblem(text) {
    parts.problem.hidden = text === "";
    parts.problem.textContent = text;
  }

  function showChips() {
    const choices = agents.map(({ actorId, displayName }) => ({ to: actorId, name: displayName, colour: colourOf(actorId) }));
    if (choices.length > 1) choices.push({ to: EVERYONE, name: gettext("everyone"), colour: null });
    parts.chips.replaceChildren(...choices.map(({ to, name, colour }) => {
      const chip = cloneCard("chip");
      chip.dataset.to = to;
      if (colour) chip.dataset.colour = colour;
      chip.textContent = name;
      return chip;
    }));
  }

  /* ---------------------------------------------------------------- sending */

  async function send() {
    if (isSending || parts.send.disabled) return;
    if (draft.content.trim() === "") return;
    if (draft.to.length === 0) {
      showProblem(agents.length === 0 ? gettext("There is nobody to write to yet.") : gettext("Pick at least one agent, or everyone."));
      parts.chips.firstElementChild?.focus();
      return;
    }
    if (draft.clientCommandId === null) change({ clientCommandId: newCommandId() });
    isSending = true;
    parts.text.readOnly = true;
    showProblem("");
    showLength();
    try {
      await sendMessage(requestOf(draft));
      isUncertain = false;
      parts.text.value = "";
      change(emptyDraft(draft.to));
      onSent();
    } catch (error) {
      refused(error);
    } finally {
      isSending = false;
      parts.text.readOnly = false;
      showLength();
    }
  }

  function refused(error) {
    const refusal = refusalOf(error);
    isUncertain = refusal.isUncertain;
    if (!isUncertain) change({ clientCommandId: null });
    showProblem(refusal.words);
  }

  /* ---------------------------------------------------------------- events */

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  parts.text.addEventListener("input", () => {
    showProblem("");
    change({ content: parts.text.value });
  });

  sendOnEnter(parts.text, {
    send,
    escape() {
      const isReply = draft.replyTo !== null;
      if (isReply) change({ replyTo: null });
      return isReply;
    },
  });

  parts.chips.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-to]");
    if (!chip || isSending) return;
    const { to } = chip.dataset;
    const isOn = draft.to.includes(to);
    showProblem("");
    if (to === EVERYONE) change({ to: isOn ? [] : [EVERYONE] });
    else change({ to: isOn ? draft.to.filter((other) => other !== to) : [...draft.to.filter((other) => other !== EVERYONE), to] });
  });

  form.addEventListener("click", (event) => {
    if (event.target.closest('[data-action="drop-reply"]')) {
      change({ replyTo: null });
      parts.text.focus();
    }
  });

  show();

  return {
    /* Who can be written to and how much, from the bootstrap. Recipients that are gone are dropped. */
    setRoom(enabledAgents, messageCharacters) {
      hasRoom = true;
      agents = enabledAgents;
      limit = messageCharacters;
      showChips();
      const known = new Set([...agents.map(({ actorId }) => actorId), EVERYONE]);
      const to = draft.to.filter((actorId) => known.has(actorId));
      change({ to: to.length === 0 && agents.length === 1 ? [agents[0].actorId] : to });
    },

    /* Answer a message: its author becomes the recipient where it is an agent and nobody was picked. */
    replyTo(message, words) {
      const { actorId, kind } = message.actor;
      const canAnswer = kind === "agent" && agents.some((agent) => agent.actorId === actorId);
      const to = canAnswer && !draft.to.includes(EVERYONE) ? [actorId] : draft.to;
      change({ replyTo: { eventId: message.eventId, words }, to });
      parts.text.focus();
    },

    /* The room answers again: what may not have arrived is sent once more, with the same id. */
    retryUncertain() {
      if (isUncertain) send();
    },

    focus: () => parts.text.focus(),
  };
}
