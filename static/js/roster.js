/* The agents' cards. The server draws them; this keeps them current and adds what an agent does at this moment. */

import * as api from "./api.js";
import { openStream } from "./event_stream.js";
import { isDayOver, tellPauses } from "./pauses.js";
import { shareStream } from "./shared_stream.js";
import { isOpen } from "./timeline_turns.js";
import { activityWords, numberWords } from "./words.js";

/* list: the element holding the cards; empty: shown when there are none. */
export function createRoster({ list, empty, cardsUrl, cardsStreamUrl }) {
  let isFollowing = false;
  let timeline = null;
  const activities = new Map(); // actorId -> words
  const waiting = new Map(); // actorId -> turns in its queue

  function find(actorId) {
    return [...list.children].find((card) => card.dataset.actorId === actorId);
  }

  /* Our own template's markup, escaped by the server. */
  function parse(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [...template.content.querySelectorAll("[data-actor-id]")];
  }

  function swap(card) {
    const old = find(card.dataset.actorId);
    if (!old) {
      list.append(card);
    } else {
      for (const fold of old.querySelectorAll("details[open]")) {
        card.querySelector(`details[data-fold="${fold.dataset.fold}"]`)?.setAttribute("open", "");
      }
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      old.replaceWith(card);
      if (focused) card.querySelector(focused.dataset.action ? `[data-action="${focused.dataset.action}"]` : "summary")?.focus();
    }
    empty.hidden = true;
    showActivity(card);
  }

  async function refresh() {
    try {
      const cards = parse(await api.fragment(cardsUrl));
      const present = new Set(cards.map((card) => card.dataset.actorId));
      for (const old of [...list.children]) if (!present.has(old.dataset.actorId)) old.remove();
      cards.forEach(swap);
      empty.hidden = cards.length > 0;
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // no answer: the stream comes back and asks again
    }
  }

  function showActivity(card) {
    tellPauses(card);
    const queue = card.querySelector('[data-part="queue"]');
    const length = waiting.get(card.dataset.actorId) ?? 0;
    const queued = length === 0 ? "" : interpolate(ngettext("%s queued", "%s queued", length), [numberWords(length)]);
    if (timeline !== null && queue.textContent !== queued) queue.textContent = queued;
    const now = card.querySelector('[data-part="now"]');
    if (!now || card.dataset.status !== "working") return;
    now.dataset.told ??= now.textContent;
    const words = activities.get(card.dataset.actorId) || now.dataset.told;
    if (now.textContent !== words) now.textContent = words;
  }

  const stream = shareStream({
    name: `groupx.cards.${document.documentElement.lang}`, // they come as words
    open: (handlers) => openStream({ url: () => cardsStreamUrl, ...handlers }),
    position: () => 0,
    snapshot: () => ({}),
    onEvent({ type, data }) {
      if (type === "stream-open") refresh();
      else if (type === "card") parse(JSON.parse(data).html).forEach(swap);
    },
    onState: () => {},
    onRefused: () => {},
    onRejoined: refresh,
  });

  async function follow() {
    if (isFollowing) return;
    isFollowing = true;
    if ((await stream.join()) !== null) await refresh();
    stream.run();
  }

  return {
    refresh,
    follow,
    /* Once a second: what the clock changes. */
    tick() {
      tellPauses(list);
      if (isDayOver(list)) refresh();
    },
    colourOf: (actorId) => find(actorId)?.dataset.colour ?? "0",

    /* What each agent does and has waiting, in its card: every open turn is known here. */
    render(state) {
      if (state === timeline) return;
      timeline = state;
      activities.clear();
      waiting.clear();
      for (const turn of state.turns.values()) {
        const { targetActorId: actorId } = turn;
        if (!isOpen(turn)) continue;
        if (turn.status === "queued") waiting.set(actorId, (waiting.get(actorId) ?? 0) + 1);
        else activities.set(actorId, activityWords(turn) || gettext("Writing"));
      }
      for (const card of list.children) showActivity(card);
    },
  };
}
