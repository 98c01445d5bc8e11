/* Memories as a list in the page, by day where that is wanted. What stands there stays where it is, with the keyboard's
   place in it, whatever comes and goes around it. */

import { piece } from "./elements.js";
import { createRecordCard } from "./record_card.js";

/* list: the element; dayOf(record): the words of its day, null for a list without days; the rest as record_card's. */
export function createRecordList({ list, dayOf, ...ofCards }) {
  const cards = new Map(); // memoryId -> card
  const days = new Map(); // words of a day -> its heading

  function place(wanted) {
    for (const element of [...list.children]) if (!wanted.includes(element)) element.remove();
    let next = list.firstElementChild;
    for (const element of wanted) {
      if (element === next) next = next.nextElementSibling;
      else list.insertBefore(element, next);
    }
  }

  function cardOf(record) {
    if (!cards.has(record.memoryId)) cards.set(record.memoryId, createRecordCard(record, ofCards));
    return cards.get(record.memoryId);
  }

  function headingOf(day) {
    if (!days.has(day)) {
      const heading = document.createElement("li");
      heading.className = "record-day";
      heading.append(piece("h4", "record-day-words", day));
      days.set(day, heading);
    }
    return days.get(day);
  }

  return {
    /* revisionOf(memoryId): {form, isTextShown} of one that is being written anew, else undefined. */
    show(records, revisionOf) {
      const focused = list.contains(document.activeElement) ? document.activeElement : null;
      const wanted = [];
      let day = null;
      for (const record of records) {
        if (dayOf && dayOf(record) !== day) {
          day = dayOf(record);
          wanted.push(headingOf(day));
        }
        const card = cardOf(record);
        const revision = revisionOf(record.memoryId);
        card.hold(revision?.form.element ?? null, revision?.isTextShown ?? true);
        card.draw();
        wanted.push(card.element);
      }
      place(wanted);
      const kept = new Set(records.map(({ memoryId }) => memoryId));
      for (const memoryId of [...cards.keys()]) if (!kept.has(memoryId)) cards.delete(memoryId);
      if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
    },

    /* Where the keyboard goes on; false where there is no such memory. */
    focus(memoryId) {
      const card = cards.get(memoryId);
      card?.element.focus();
      return card !== undefined;
    },
  };
}
