/* The messages of a bus room as they stand in the page. What was written is set as text, never as markup. */

import { cloneTemplate } from "./elements.js";
import { showText } from "./text_blocks.js";
import { colourOf, HUMAN } from "./bus_members.js";
import { dayKey, dayWords, durationWords, exactWords, initials, listWords, numberWords, timeWords } from "./words.js";

const END_PX = 80; // so near to the end counts as being there
const QUOTE_CHARS = 140;

/* log: the scrolling element; entries: its list; onMoved(): "at the end" may have changed. */
export function createBusLog({ log, entries, onMoved }) {
  const messages = new Map(); // seq -> message
  const elements = new Map(); // seq -> element
  const byId = new Map();
  let isAtEnd = true;

  log.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(() => {
    if (isAtEnd) toEnd();
  }).observe(log);

  function look() {
    isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < END_PX;
    onMoved();
  }

  function toEnd() {
    log.scrollTop = log.scrollHeight;
    look();
  }

  function clear() {
    for (const kept of [messages, elements, byId]) kept.clear();
    entries.replaceChildren();
    isAtEnd = true;
  }

  /* Put them where their seqs say; gives how many are new. */
  function add(given) {
    const fresh = given.filter(({ seq }) => !messages.has(seq)).sort((one, other) => one.seq - other.seq);
    if (fresh.length === 0) return 0;
    const wasAtEnd = isAtEnd;
    const anchor = entries.firstElementChild;
    const anchorTop = anchor?.getBoundingClientRect().top;
    const isOlder = messages.size > 0 && fresh[0].seq < Math.min(...messages.keys());
    for (const message of fresh) {
      messages.set(message.seq, message);
      byId.set(message.id, message);
    }
    for (const message of fresh) {
      const element = cloneTemplate("bus-message");
      elements.set(message.seq, element);
      draw(element, message);
    }
    place();
    if (wasAtEnd && !isOlder) toEnd();
    else if (isOlder && anchor) log.scrollTop += anchor.getBoundingClientRect().top - anchorTop;
    return fresh.length;
  }

  /* All in the order of their seqs, with a line before each day. Most of the time only the last ones move. */
  function place() {
    let day = null;
    let next = entries.firstElementChild;
    for (const seq of [...elements.keys()].sort((one, other) => one - other)) {
      const { time } = messages.get(seq);
      const key = isTime(time) ? dayKey(time) : day;
      if (key !== day) {
        day = key;
        next = put(dayLine(key, time), next);
      }
      next = put(elements.get(seq), next);
    }
    while (next) {
      const rest = next.nextElementSibling;
      next.remove();
      next = rest;
    }
  }

  function put(element, next) {
    if (element === next) return next.nextElementSibling;
    entries.insertBefore(element, next);
    return next;
  }

  function dayLine(key, time) {
    const there = [...entries.querySelectorAll(".day")].find((line) => line.dataset.day === key);
    if (there) return there;
    const line = document.createElement("p");
    line.className = "day";
    line.dataset.day = key;
    line.textContent = dayWords(time);
    return line;
  }

  function draw(element, message) {
    const part = (name) => element.querySelector(`[data-part="${name}"]`);
    const isFailure = message.kind === "dispatch-error";
    element.dataset.seq = message.seq;
    element.dataset.from = message.from === HUMAN ? "user" : "agent";
    element.dataset.busKind = message.kind;
    element.dataset.colour = colourOf(message.from);
    part("avatar").textContent = message.from === HUMAN ? gettext("Me") : initials(message.from);
    part("author").textContent = message.from === HUMAN ? gettext("You") : message.from || gettext("nobody");
    part("to").textContent = message.to.length === 0 ? gettext("to everyone") : interpolate(gettext("to %s"), [listWords(message.to.map(nameWords))]);
    if (isTime(message.time)) {
      part("time").dateTime = message.time;
      part("time").textContent = timeWords(message.time);
      part("time").title = exactWords(message.time);
    }
    part("seq").textContent = `#${message.seq}`;
    drawQuote(part("quote"), message);
    part("ending").hidden = !isFailure;
    part("text").hidden = isFailure;
    if (isFailure) drawFailure(part, message);
    else showText(part("text"), message.text);
    part("show-all").hidden = !message.truncated;
    if (message.truncated) {
      part("show-all").textContent = interpolate(gettext("Show all (%s characters)"), [numberWords(message.fullLength)]);
    }
    part("files").hidden = message.files.length === 0;
    part("files").textContent = interpolate(gettext("Files: %s"), [listWords(message.files)]);
    const meta = metaWords(message.meta);
    part("meta").hidden = meta === "";
    part("meta").textContent = meta;
  }

  function drawFailure(part, { text }) {
    const [reason, ...output] = text.split("\n");
    part("ending-words").textContent = reason;
    part("more").hidden = output.length === 0;
    part("output").textContent = output.join("\n");
  }

  function drawQuote(quote, message) {
    const quoted = message.replyTo ? byId.get(message.replyTo) : undefined;
    quote.hidden = quoted === undefined;
    if (quoted === undefined) return;
    quote.dataset.seq = quoted.seq;
    quote.textContent = quoteWords(quoted);
  }

  return {
    add,
    clear,
    toEnd,
    get isAtEnd() {
      return isAtEnd;
    },
    get oldestSeq() {
      return messages.size === 0 ? null : Math.min(...messages.keys());
    },
    message: (seq) => messages.get(seq),
    isEmpty: () => messages.size === 0,

    /* The whole text of a message that was cut. */
    showWhole(message) {
      messages.set(message.seq, message);
      draw(elements.get(message.seq), message);
    },

    show(seq) {
      const element = elements.get(seq);
      element?.scrollIntoView({ block: "center" });
      element?.focus();
    },
  };
}

export function quoteWords(message) {
  const text = message.text.slice(0, QUOTE_CHARS).replace(/\s+/g, " ");
  // who says what
  return interpolate(gettext("%s: %s"), [nameWords(message.from), message.text.length > QUOTE_CHARS ? `${text}…` : text]);
}

export const nameWords = (name) => (name === HUMAN ? gettext("You") : name);

const isTime = (text) => !Number.isNaN(Date.parse(text));

function metaWords({ channel, model, durationMs, cost, tokens = {} }) {
  const words = [channel, model].filter((word) => word);
  if (durationMs !== undefined) words.push(durationWords(durationMs));
  const total = tokens.total ?? (tokens.input ?? 0) + (tokens.output ?? 0);
  if (total > 0) words.push(interpolate(ngettext("%s token", "%s tokens", total), [numberWords(total)]));
  if (cost !== undefined) words.push(`$${cost.toFixed(cost > 0 && cost < 0.01 ? 6 : 2)}`);
  return words.join(" · ");
}
