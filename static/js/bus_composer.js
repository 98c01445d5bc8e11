/* Writing to a bus room, as the person. Nobody picked means everybody. */

import { newCommandId, writeToBus } from "./api.js";
import { HUMAN, colourOf } from "./bus_members.js";
import { cloneTemplate } from "./elements.js";
import { emptyDraft, loadDraft, saveDraft } from "./draft.js";
import { refusalOf, sendOnEnter } from "./message_box.js";
import { listWords } from "./words.js";

/* form: the composer's element; onSent(): after the room took a message. */
export function createBusComposer({ form, apiUrl, draftKey, onSent }) {
  const parts = {};
  for (const part of form.querySelectorAll("[data-part]")) parts[part.dataset.part] = part;
  let draft = loadDraft(localStorage, draftKey);
  let members = [];
  let isDriven = false;
  let isSending = false;
  let isUncertain = false; // sent, and nobody knows whether it arrived

  parts.text.value = draft.content;

  function change(changes) {
    draft = { ...draft, ...changes };
    saveDraft(localStorage, draftKey, draft);
    show();
  }

  function show() {
    for (const chip of parts.chips.children) chip.setAttribute("aria-pressed", String(draft.to.includes(chip.dataset.to)));
    parts.text.placeholder = draft.to.length === 0
      ? gettext("Write to everyone.")
      : interpolate(gettext("Write to %s."), [listWords(draft.to)]);
    parts.reply.hidden = draft.replyTo === null;
    parts["reply-words"].textContent = draft.replyTo ? interpolate(gettext("Reply to %s"), [draft.replyTo.words]) : "";
    parts.wakes.textContent = isDriven ? wakesWords() : "";
    parts.send.disabled = isSending;
  }

  /* Whom the self-drive will wake for this message. */
  function wakesWords() {
    const wakeable = members.filter(({ transport }) => transport !== "");
    const wanted = draft.to.length === 0
      ? wakeable.filter(({ isPrimary }) => isPrimary)
      : wakeable.filter(({ name }) => draft.to.includes(name));
    if (wanted.length === 0) return gettext("Wakes nobody");
    return interpolate(gettext("Wakes %s"), [listWords(wanted.map(({ name }) => name))]);
  }

  function showProblem(text) {
    parts.problem.hidden = text === "";
    parts.problem.textContent = text;
  }

  async function send() {
    if (isSending || draft.content.trim() === "") return;
    if (draft.clientCommandId === null) change({ clientCommandId: newCommandId() });
    isSending = true;
    parts.text.readOnly = true;
    showProblem("");
    show();
    try {
      const { clientCommandId, to, content: text, replyTo } = draft;
      await writeToBus(apiUrl, { clientCommandId, to, text, ...(replyTo ? { replyTo: replyTo.id } : {}) });
      isUncertain = false;
      parts.text.value = "";
      change(emptyDraft(draft.to));
      onSent();
    } catch (error) {
      refused(error);
    } finally {
      isSending = false;
      parts.text.readOnly = false;
      show();
    }
  }

  function refused(error) {
    const refusal = refusalOf(error);
    isUncertain = refusal.isUncertain;
    if (!isUncertain) change({ clientCommandId: null });
    showProblem(refusal.words);
  }

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
    if (to === "") change({ to: [] });
    else change({ to: draft.to.includes(to) ? draft.to.filter((other) => other !== to) : [...draft.to, to] });
  });

  form.addEventListener("click", (event) => {
    if (!event.target.closest('[data-action="drop-reply"]')) return;
    change({ replyTo: null });
    parts.text.focus();
  });

  show();

  return {
    /* Who is in the room, and whether the self-drive is on. Recipients that are gone are dropped. */
    setRoom(state) {
      const names = (list) => list.map(({ name }) => name).join("\n");
      const others = state.members.filter(({ name }) => name !== HUMAN);
      if (names(others) !== names(members)) {
        parts.chips.replaceChildren(...others.map(({ name }) => {
          const chip = cloneTemplate("chip");
          chip.dataset.to = name;
          chip.dataset.colour = colourOf(name);
          chip.textContent = name;
          return chip;
        }));
      }
      members = others;
      isDriven = state.selfDrive.isOn;
      const known = draft.to.filter((name) => others.some((member) => member.name === name));
      if (known.length !== draft.to.length) change({ to: known });
      else show();
    },

    /* Answer a message: its author becomes the recipient where nobody was picked. */
    replyTo(message, words) {
      const canAnswer = members.some(({ name }) => name === message.from);
      change({ replyTo: { id: message.id, words }, to: canAnswer && draft.to.length === 0 ? [message.from] : draft.to });
      parts.text.focus();
    },

    /* The room answers again: what may not have arrived is sent once more, with the same id. */
    retryUncertain() {
      if (isUncertain) send();
    },
  };
}
