/* The side conversation as it stands in the drawer: a question with its answer under it. textContent only. */

import { isOpenRow } from "./assistant_talk.js";
import { endingWords, progressWords } from "./assistant_words.js";
import { drawTime } from "./card_pieces.js";
import { cloneTemplate, partsIn } from "./elements.js";
import { showText } from "./text_blocks.js";
import { sentenceWords } from "./words.js";

const END_PX = 80; // so near to the end counts as being there
const ENDED_BADLY = new Set(["failed", "cancelled"]);

/* log: the scrolling element; entries: the list in it. */
export function createAssistantView({ log, entries }) {
  const elements = new Map(); // key of a row -> its element
  const drawn = new Map(); // key of a row -> the row as it was drawn
  let isAtEnd = true;

  log.addEventListener("scroll", () => {
    isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < END_PX;
  }, { passive: true });

  new ResizeObserver(() => {
    if (isAtEnd) toEnd();
  }).observe(log);

  function toEnd() {
    isAtEnd = true;
    log.scrollTop = log.scrollHeight;
  }

  function render(rows) {
    const present = new Set(rows.map(({ key }) => key));
    for (const [key, element] of elements) {
      if (present.has(key)) continue;
      element.remove();
      elements.delete(key);
      drawn.delete(key);
    }
    rows.forEach((row, index) => {
      let element = elements.get(row.key);
      if (!element) {
        element = cloneTemplate("assistant-entry");
        element.dataset.key = row.key;
        elements.set(row.key, element);
      }
      if (entries.children[index] !== element) entries.insertBefore(element, entries.children[index] ?? null);
      if (!isSame(row, drawn.get(row.key))) draw(element, row);
      drawn.set(row.key, row);
    });
    if (isAtEnd) toEnd();
  }

  return { render, toEnd };
}

const isSame = (row, before) => before !== undefined && Object.keys(row).every((name) => row[name] === before[name]);

function draw(element, row) {
  const parts = partsIn(element);
  const isGrowing = isOpenRow(row) && row.text !== "";
  element.dataset.state = row.state;
  element.toggleAttribute("data-streaming", isGrowing);
  element.setAttribute("aria-busy", String(isOpenRow(row)));
  showText(parts.question, row.content);
  drawTime(parts.time, row.at);
  parts.answer.hidden = row.text === "";
  showText(parts.answer, row.text);
  const progress = progressWords(row);
  parts.foot.hidden = progress === "" && !isOpenRow(row);
  parts.progress.textContent = progress;
  parts.stop.hidden = !isOpenRow(row);
  parts["take-back"].hidden = row.state !== "unsent";
  const isBad = ENDED_BADLY.has(row.state);
  parts.ending.hidden = !isBad;
  if (!isBad) return;
  parts["ending-words"].textContent = endingWords(row);
  parts["ending-hint"].textContent = row.error?.hint ? sentenceWords(row.error.hint) : "";
  parts["ending-code"].textContent = row.state === "failed" ? (row.error?.code ?? "") : "";
}
