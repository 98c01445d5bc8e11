/* One memory as it stands in a list. What was written is only ever text. */

import { lengthOf } from "./draft.js";
import { cloneTemplate, partsIn } from "./elements.js";
import { kindWords } from "./memory_words.js";
import * as words from "./words.js";

const SHOWN_CHARS = 300; // of a long one, until somebody wants all
const SHOWN_LINES = 8;
const HALF_A_PAIR = /[\ud800-\udbff]$/;
const NAMING_CHARS = 60; // which one a button is for, read aloud

/* people: {nameOf(actorId), colourOf(actorId)}; mayReplace: whether a person may write it; onReplace(record); onRetract(record, button): a promise. */
export function createRecordCard(record, { people, mayReplace, onReplace, onRetract }) {
  const element = cloneTemplate("record");
  const parts = partsIn(element);
  const beginning = beginningOf(record.content);

  element.dataset.memoryId = record.memoryId;
  element.dataset.kind = record.kind;
  parts.text.textContent = beginning;
  parts["show-all"].hidden = beginning === record.content;
  parts["show-all"].textContent = interpolate(gettext("Show all (%s characters)"), [words.numberWords(lengthOf(record.content))]);
  parts.kind.textContent = kindWords(record.kind);
  parts.time.dateTime = record.createdAt;
  parts.time.title = words.exactWords(record.createdAt);
  parts.replace.hidden = !mayReplace;
  const start = record.content.slice(0, NAMING_CHARS).replace(/\s+/g, " ");
  // what a button does, and with which memory
  for (const part of ["replace", "retract"]) parts[part].ariaLabel = interpolate(gettext("%s: %s"), [parts[part].textContent, start]);

  function askFirst(isAsking) {
    parts.steps.hidden = isAsking;
    parts.confirm.hidden = !isAsking;
    (isAsking ? parts.keep : parts.retract).focus();
  }

  parts["show-all"].addEventListener("click", () => {
    parts.text.textContent = record.content;
    parts["show-all"].hidden = true;
    element.focus();
  });
  parts.replace.addEventListener("click", () => onReplace(record));
  parts.retract.addEventListener("click", () => askFirst(true));
  parts.keep.addEventListener("click", () => askFirst(false));
  parts.sure.addEventListener("click", () => onRetract(record, parts.sure));
  parts.confirm.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation(); // only the question goes away, not what surrounds it
    askFirst(false);
  });

  return {
    element,

    /* What others may have changed since: names and colours of authors, and whether its day is over. */
    draw() {
      parts.author.textContent = people.nameOf(record.authorActorId);
      parts.author.dataset.colour = people.colourOf(record.authorActorId);
      parts.time.textContent = words.nearMomentWords(record.createdAt);
    },

    /* form: of who replaces it, or null; isTextShown: beside the form too. */
    hold(form, isTextShown) {
      parts.what.hidden = form !== null && !isTextShown;
      parts.steps.hidden = form !== null || !parts.confirm.hidden;
      if (form === null) parts.form.replaceChildren();
      else if (form.parentElement !== parts.form) parts.form.replaceChildren(form);
    },
  };
}

/* The text itself where it is short, or not much longer than what would be shown of it. */
function beginningOf(content) {
  const lines = content.split("\n");
  const isShort = content.length <= SHOWN_CHARS * 1.25 && lines.length <= SHOWN_LINES;
  return isShort ? content : `${lines.slice(0, SHOWN_LINES).join("\n").slice(0, SHOWN_CHARS).replace(HALF_A_PAIR, "")}…`;
}
