/* What the clock changes on agents' cards: until when one is paused, and the end of the day whose use it shows. */

import { untilWords } from "./words.js";

/* Says on each paused card of `list` until when, and how long that still is. */
export function tellPauses(list, now = Date.now()) {
  for (const pause of list.querySelectorAll("[data-until]")) {
    const words = untilWords(pause.dataset.until, now);
    const told = pause.querySelector('[data-part="until"]');
    if (told.textContent !== words) told.textContent = words;
  }
}

/* Whether a card shows the use of a day that is over. Says so once for each. */
export function isDayOver(list, now = Date.now()) {
  const over = [...list.querySelectorAll("[data-day-ends]")].filter(({ dataset }) => Date.parse(dataset.dayEnds) <= now);
  for (const { dataset } of over) delete dataset.dayEnds;
  return over.length > 0;
}
