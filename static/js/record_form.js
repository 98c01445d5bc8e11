/* Writing a memory, new or in the place of another: a text and its kind. What was typed stays until the room has it. */

import { ApiError, newCommandId } from "./api.js";
import { isBlank } from "./draft.js";
import { cloneTemplate, partsIn, setBusy } from "./elements.js";
import { WRITTEN_KINDS, kindWords } from "./memory_words.js";
import { createRetryLater } from "./retry_later.js";

/* saveWords: of its button; draft: {content, kind?, source?, clientCommandId?} to begin with; source: what it was learnt
   from, in words, or "". onWritten(draft): it is another one now; post(values, clientCommandId): asks the room;
   onSaved(answer); onCancelled(); onRefused(error): not for uncertain ones. */
export function createRecordForm({ saveWords, draft, onWritten, post, onSaved, onCancelled, onRefused = () => {} }) {
  const element = cloneTemplate("record-form");
  const parts = partsIn(element);
  let { source = "", clientCommandId = null } = draft; // the id of what was sent first, until the room has answered
  let label = saveWords;
  let isSending = false;
  let isUncertain = false; // sent, and nobody knows whether it arrived
  const retry = createRetryLater(retryUncertain);

  parts.kind.append(...WRITTEN_KINDS.map((value) => new Option(kindWords(value), value)));
  parts.kind.value = WRITTEN_KINDS.includes(draft.kind) ? draft.kind : WRITTEN_KINDS[0];
  parts.text.value = draft.content;
  parts.save.textContent = label;
  showSource();

  function showSource() {
    parts.source.hidden = source === "";
    parts.source.textContent = source;
  }

  function written() {
    onWritten({ content: parts.text.value, kind: parts.kind.value, source, clientCommandId });
  }

  function showProblem(words, code = "") {
    parts.problem.hidden = words === "";
    parts["problem-words"].textContent = words;
    parts["problem-code"].textContent = code;
  }

  function setSending(value) {
    isSending = value;
    parts.text.readOnly = value;
    parts.save.textContent = value ? gettext("Saving…") : label;
    setBusy(parts.save, value);
    setBusy(parts.cancel, value); // it may be kept by now
  }

  async function save() {
    if (isSending) return;
    if (isBlank(parts.text.value)) {
      showProblem(gettext("Write down first what is to be remembered."));
      parts.text.focus();
      return;
    }
    showProblem("");
    setSending(true);
    clientCommandId ??= newCommandId();
    written();
    try {
      const answer = await post({ content: parts.text.value, kind: parts.kind.value }, clientCommandId);
      isUncertain = false;
      retry.over();
      await onSaved(answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isUncertain = error.isUncertain;
      showProblem(refusalWords(error), error.code ?? "");
      if (isUncertain) {
        retry.later();
      } else {
        retry.over();
        clientCommandId = null;
        written();
        onRefused(error);
      }
    } finally {
      setSending(false);
    }
  }

  element.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });

  parts.text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  });

  /* Who writes on saves it himself. */
  function leaveToWriter() {
    isUncertain = false;
    retry.over();
  }

  parts.text.addEventListener("input", () => {
    leaveToWriter();
    written();
  });
  parts.kind.addEventListener("change", written);

  parts.cancel.addEventListener("click", () => {
    if (isSending) return;
    leaveToWriter();
    onCancelled();
  });

  /* What may not have arrived is sent once more, with the same id. */
  function retryUncertain() {
    if (isUncertain) save();
  }

  return {
    element,
    focus: () => parts.text.focus(),

    /* Whether an answer of the room is still to come. */
    isOpen: () => isSending || isUncertain,

    /* The room answers again. */
    retryUncertain,

    /* More to remember, below what stands there already. */
    add(text, words) {
      parts.text.value = [parts.text.value.trimEnd(), text].filter(Boolean).join("\n\n");
      source = words;
      showSource();
      written();
    },

    /* What changed while somebody wrote. */
    tell(words, saveWordsNow) {
      showProblem("");
      parts.note.hidden = false;
      parts.note.textContent = words;
      label = saveWordsNow;
      if (!isSending) parts.save.textContent = label;
    },
  };
}

function refusalWords(error) {
  if (error.code === "CLIENT_COMMAND_CONFLICT") {
    return gettext("This was already saved before you changed it. Save again to keep the changed text too.");
  }
  if (!error.isUncertain) return error.message;
  // what went wrong
  return interpolate(gettext("%s Your text is kept here and is saved when the room answers again."), [error.message]);
}
