/* The log as it stands in the page: which rows, in which order, and where the reader is. */

import { cloneCard, drawOpenFold, drawRow, tick } from "./cards.js";
import { findMessage, rows } from "./timeline_rows.js";
import { dayKey, dayWords } from "./words.js";

const END_PX = 80; // so near to the end counts as being there

/* log: the scrolling element; topLine: what stands above its entries; entries: their list.
   view: see cards.drawRow; `view.state` is set by render().
   onNearTop() is called when the reader comes near the oldest entry; onMoved() when "at the end" may have changed. */
export function createLogView({ log, topLine, entries, view, onNearTop, onMoved }) {
  const elements = new Map(); // key of a row or day -> element
  const drawn = new Map(); // key of a row -> {item, quoted, product, stamp}
  const positions = new WeakMap(); // element of a row -> its place in the order: a queued turn moves when it runs
  const stamps = new Map(); // key -> raised when something outside the state changed
  let placed = [];
  let shape = -1;
  let aboveWords = null;
  let isAtEnd = true;

  function look() {
    isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < END_PX;
    onMoved();
  }

  log.addEventListener("scroll", () => {
    look();
    if (log.scrollTop < log.clientHeight) onNearTop();
  }, { passive: true });

  new ResizeObserver(() => {
    if (isAtEnd) toEnd();
  }).observe(log);

  // toggle does not bubble
  entries.addEventListener("toggle", (event) => {
    const entry = event.target.closest("[data-turn-id]");
    const turn = entry && view.state.turns.get(entry.dataset.turnId);
    if (turn && event.target.open) drawOpenFold(entry, event.target, turn, view);
    look(); // who reads an opened fold is not carried off to the end
  }, true);

  /* words: of the line at the top, null for no line. It comes and goes above all entries, so it is drawn here. */
  function render(state, words) {
    view.state = state;
    aboveWords = words;
    const before = isAtEnd ? [] : inSight();
    topLine.hidden = words === null;
    if (topLine.textContent !== (words ?? "")) topLine.textContent = words ?? "";
    const isReordered = state.shape !== shape;
    if (isReordered) {
      shape = state.shape;
      placed = rows(state);
      place();
    }
    for (const row of placed) draw(row);
    if (isAtEnd) toEnd();
    else holdStill(before, isReordered);
  }

  function draw(row) {
    const item = itemOf(row);
    const stamp = stamps.get(row.key) ?? 0;
    const quoted = row.quote === null ? null : findMessage(view.state, row.quote);
    const product = row.kind === "turn" ? view.productOf(item.targetActorId) : "";
    const before = drawn.get(row.key);
    if (before?.item === item && before.quoted === quoted && before.product === product && before.stamp === stamp) return;
    drawn.set(row.key, { item, quoted, product, stamp });
    drawRow(elements.get(row.key), row, view);
  }

  function itemOf(row) {
    if (row.kind === "message") return view.state.messages.get(row.id);
    return row.kind === "turn" ? view.state.turns.get(row.id) : view.state.notices.get(row.id);
  }

  /* Bring elements into order, making what is missing and moving what moved; nothing else is touched. */
  function place() {
    const present = new Set();
    let next = entries.firstElementChild;
    let day = null;
    const put = (key, make) => {
      present.add(key);
      let element = elements.get(key);
      if (!element) {
        element = make();
        elements.set(key, element);
      }
      if (next && element === next.nextElementSibling) {
        next.remove(); // it moved further down, or is gone: one move instead of one for each that follows
        next = element;
      }
      if (element === next) next = next.nextElementSibling;
      else entries.insertBefore(element, next);
    };
    for (const row of placed) {
      const rowDay = row.at ? dayKey(row.at) : day;
      if (rowDay !== day && !present.has(`d:${rowDay}`)) {
        day = rowDay;
        put(`d:${day}`, () => daySeparator(row.at));
      }
      put(row.key, () => cloneCard(row.kind));
      positions.set(elements.get(row.key), row.position);
    }
    for (const [key, element] of elements) {
      if (present.has(key)) continue;
      element.remove();
      elements.delete(key);
      drawn.delete(key);
    }
  }

  function daySeparator(at) {
    const element = document.createElement("p");
    element.className = "day";
    element.textContent = dayWords(at);
    return element;
  }

  /* The entries in sight, topmost first, with where they are. */
  function inSight() {
    const { top, bottom } = log.getBoundingClientRect();
    const children = entries.children;
    let low = 0;
    let high = children.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (children[middle].getBoundingClientRect().bottom > top) high = middle;
      else low = middle + 1;
    }
    const found = [];
    for (let element = children[low]; element; element = element.nextElementSibling) {
      const rect = element.getBoundingClientRect();
      if (rect.top > bottom) break;
      found.push({ element, top: rect.top, position: positions.get(element) });
    }
    return found;
  }

  /* Whatever was added, grew or moved above: the topmost entry that kept its place in the order stays where it is.
     When entries came or moved, the first message that begins in sight is held instead: turns between messages may
     be completed and move, messages never do. */
  function holdStill(before, isReordered) {
    const still = before.filter(({ element, position }) => element.isConnected && positions.get(element) === position);
    const { top } = log.getBoundingClientRect();
    const isMessage = (held) => held.element.dataset.kind === "message" && held.top >= top;
    const kept = (isReordered && still.find(isMessage)) || still[0];
    if (kept) log.scrollTop += kept.element.getBoundingClientRect().top - kept.top;
  }

  function toEnd() {
    isAtEnd = true;
    log.scrollTop = log.scrollHeight;
  }

  return {
    render,
    toEnd,
    isAtEnd: () => isAtEnd,
    isNearTop: () => log.scrollTop < log.clientHeight,

    /* Draw a row again although its item is the same: something loaded in full, say. */
    redraw(key) {
      stamps.set(key, (stamps.get(key) ?? 0) + 1);
      if (view.state) render(view.state, aboveWords);
    },

    redrawFold(entry, fold) {
      drawOpenFold(entry, fold, view.state.turns.get(entry.dataset.turnId), view);
    },

    /* Forget everything drawn: another snapshot follows. */
    clear() {
      entries.replaceChildren();
      elements.clear();
      drawn.clear();
      placed = [];
      shape = -1;
      isAtEnd = true;
    },

    /* Scroll to the entry of a message, an answer or a turn; false if it is not among the known ones. */
    show(id) {
      const element = [...entries.children].find(({ dataset }) => dataset.eventId === id || dataset.turnId === id);
      if (!element) return false;
      element.scrollIntoView({ block: "center" });
      element.toggleAttribute("data-found", false);
      void element.offsetWidth; // restart the highlight
      element.toggleAttribute("data-found", true);
      return true;
    },

    tick() {
      for (const elapsed of entries.querySelectorAll('[data-part="elapsed"][data-since]:not([data-since=""])')) tick(elapsed);
    },
  };
}

/* What stands above the oldest entry. */
export function topWords(hasOlder, isLoading) {
  if (!hasOlder) return gettext("The room begins here.");
  return isLoading ? gettext("Loading older messages…") : "";
}
