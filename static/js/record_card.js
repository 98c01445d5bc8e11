/* One memory as it stands in a list. What was written is only ever text. */

import { lengthOf } from "./draft.js";
import { cloneTemplate, isBusy, partsIn, setBusy } from "./elements.js";
import { kindWords } from "./memory_words.js";
import * as words from "./words.js";

const SHOWN_CHARS = 300; // of a long one, until somebody wants all
const SHOWN_LINES = 8;
const HALF_A_PAIR = /[\ud800-\udbff]$/;
const NAMING_CHARS = 60; // which one a button is for, read aloud

/* people: {nameOf(actorId), colourOf(actorId)}; mayReplace: whether a person may write it; onReplace(record);
   onRetract(record): a promise of an ApiError where it was refused. */
export function createRecordCard(record, { people, mayReplace, onReplace, onRetract }) {
  const element = cloneTemplate("record");
  const parts = partsIn(element);
  const beginning = beginningOf(record.content);
  const sureWords = parts.sure.textContent;

  element.dataset.memoryId = record.memoryId;
  element.dataset.kind = record.kind;
  parts.text.textContent = beginning;
  parts["show-all"].hidden = beginning === record.content;
  parts.kind.textContent = kindWords(record.kind);
  parts.time.dateTime = record.createdAt;
  parts.time.title = words.exactWords(record.createdAt);
  parts.replace.hidden = !mayReplace;
  const start = record.content.slice(0, NAMING_CHARS).replace(/\s+/g, " ");
  // what a button does, and with which memory
  for (const part of ["replace", "retract"]) parts[part].ariaLabel = interpolate(gettext("%s: %s"), [parts[part].textContent, start]);

  function showText(isWhole) {
    parts.text.textContent = isWhole ? record.content : beginning;
    parts.text.toggleAttribute("data-whole", isWhole);
    if (isWhole) parts.text.tabIndex = 0; // so long a text is scrolled, also with the keys
    else parts.text.removeAttribute("tabindex");
    parts["show-all"].ariaExpanded = String(isWhole);
    parts["show-all"].textContent = isWhole
      ? gettext("Show less")
      : interpolate(gettext("Show all (%s characters)"), [words.numberWords(lengthOf(record.content))]);
  }

  function showProblem(error) {
    parts.problem.hidden = error === null;
    parts["problem-words"].textContent = error?.message ?? "";
    parts["problem-code"].textContent = error?.code ?? "";
  }

  async function retract() {
    if (isBusy(parts.sure)) return;
    showProblem(null);
    setRetracting(true);
    const refused = await onRetract(record);
    setRetracting(false);
    showProblem(refused);
  }

  function setRetracting(value) {
    for (const part of ["sure", "keep"]) setBusy(parts[part], value);
    parts.sure.textContent = value ? gettext("Retracting…") : sureWords;
  }

  function askFirst(isAsking) {
    if (isBusy(parts.keep)) return;
    showProblem(null);
    parts.steps.hidden = isAsking;
    parts.confirm.hidden = !isAsking;
    (isAsking ? parts.keep : parts.retract).focus();
  }

  showText(false);
  parts["show-all"].addEventListener("click", () => {
    showText(parts["show-all"].ariaExpanded === "false");
    element.scrollIntoView({ block: "nearest" });
  });
  parts.replace.addEventListener("click", () => onReplace(record));
  parts.retract.addEventListener("click", () => askFirst(true));
  parts.keep.addEventListener("click", () => askFirst(false));
  parts.sure.addEventListener("click", retract);
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
