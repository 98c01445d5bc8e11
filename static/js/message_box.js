/* A box for a message: its draft, whom it is for, how it is sent and what is said when it was refused. What every page
   with a composer shares; the page says who can be picked and what a request is. */

import { newCommandId } from "./api.js";
import { emptyDraft, isBlank, loadDraft, saveDraft } from "./draft.js";
import { partsIn, setBusy } from "./elements.js";
import { createRetryLater } from "./retry_later.js";

const IME_GUARD_MS = 60; // Safari ends a composition just before the Enter that confirmed it

/* form: the composer's element; draftKey: where the draft is kept; post(draft): a promise of its being accepted;
   show(draft, isSending): draw what the page has of its own; pick(to, picked): whom the draft is for after a click on a
   chip; mayBeSent(draft): false where the page itself refuses, and says why; inNames(sentence): the room's refusal with
   names for ids; onSent(): the room has the message. */
export function createMessageBox({ form, draftKey, post, show, pick = toggled, mayBeSent = () => true, inNames = (text) => text, onSent }) {
  const parts = partsIn(form);
  let draft = loadDraft(localStorage, draftKey);
  let isSending = false;
  let isUncertain = false; // sent, and nobody knows whether it arrived
  const retry = createRetryLater(retryUncertain);

  parts.text.value = draft.content;

  function change(changes) {
    draft = { ...draft, ...changes };
    saveDraft(localStorage, draftKey, draft);
    draw();
  }

  function draw() {
    for (const chip of parts.chips.children) chip.setAttribute("aria-pressed", String(draft.to.includes(chip.dataset.to)));
    parts.reply.hidden = draft.replyTo === null;
    parts["reply-words"].textContent = draft.replyTo ? interpolate(gettext("Reply to %s"), [draft.replyTo.words]) : "";
    setBusy(parts.send, isSending);
    show(draft, isSending);
  }

  function showProblem(text) {
    parts.problem.hidden = text === "";
    parts.problem.textContent = text;
  }

  function setSending(value) {
    isSending = value;
    parts.text.readOnly = value;
    draw();
  }

  async function send() {
    if (isSending || isBlank(draft.content) || !mayBeSent(draft)) return;
    if (draft.clientCommandId === null) change({ clientCommandId: newCommandId() });
    showProblem("");
    setSending(true);
    try {
      await post(draft);
      isUncertain = false;
      retry.over();
      parts.text.value = "";
      change(emptyDraft(draft.to));
      onSent();
    } catch (error) {
      refused(error);
    } finally {
      setSending(false);
    }
  }

  function refused(error) {
    const refusal = refusalOf(error);
    isUncertain = refusal.isUncertain;
    if (isUncertain) {
      retry.later();
    } else {
      retry.over();
      change({ clientCommandId: null });
    }
    showProblem(inNames(refusal.words));
  }

  /* What may not have arrived is sent once more, with the same id. */
  function retryUncertain() {
    if (isUncertain) send();
  }

  /* Who writes on sends it himself. */
  function leaveToWriter() {
    isUncertain = false;
    retry.over();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });

  parts.text.addEventListener("input", () => {
    leaveToWriter();
    showProblem("");
    change({ content: parts.text.value });
  });

  parts.chips.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-to]");
    if (!chip || isSending) return;
    showProblem("");
    change({ to: pick(chip.dataset.to, draft.to) });
  });

  form.addEventListener("click", (event) => {
    if (!event.target.closest('[data-action="drop-reply"]')) return;
    change({ replyTo: null });
    parts.text.focus();
  });

  sendOnEnter(parts.text, {
    send,
    escape() {
      const isReply = draft.replyTo !== null;
      if (isReply) change({ replyTo: null });
      return isReply;
    },
  });

  return {
    parts,
    draft: () => draft,
    change,
    draw,
    showProblem,

    /* The room answers again. */
    retryUncertain,
  };
}

/* `picked` with `to` where it was not, and without it where it was. */
export function toggled(to, picked) {
  return picked.includes(to) ? picked.filter((other) => other !== to) : [...picked, to];
}

/* text: the textarea; send(); escape() gives true if there was something to leave. */
export function sendOnEnter(text, { send, escape }) {
  let composedUntil = 0;

  text.addEventListener("compositionend", (event) => {
    composedUntil = event.timeStamp + IME_GUARD_MS;
  });

  text.addEventListener("keydown", (event) => {
    const isConfirming = event.key === "Enter" && event.timeStamp < composedUntil;
    if (event.isComposing || event.keyCode === 229 || isConfirming) return;
    composedUntil = 0; // whatever is pressed next is meant
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && escape()) {
      event.preventDefault();
    }
  });
}

/* words: for the writer. isUncertain: nobody knows whether it arrived, so it keeps its clientCommandId and may be sent
   again; any other refusal uses that id up. */
function refusalOf(error) {
  const isUncertain = error.isUncertain === true;
  if (error.code === "CLIENT_COMMAND_CONFLICT") {
    return { isUncertain: false, words: gettext("This message was already sent before you changed it. Send again to send the changed text too.") };
  }
  if (isUncertain) {
    return { isUncertain, words: interpolate(gettext("%s Your message is kept here and is sent when the room answers again."), [error.message]) };
  }
  // what went wrong, with its code
  return { isUncertain, words: error.code ? interpolate(gettext("%s (%s)"), [error.message, error.code]) : String(error.message) };
}
