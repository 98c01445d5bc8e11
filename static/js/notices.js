/* Rows of what is neither a message nor a turn: drawn from the timeline's state. */

import { drawTime, namesOf, pauseWords, say } from "./card_pieces.js";
import { inNames } from "./named_text.js";
import * as words from "./words.js";

export const SHOWN_DETAIL_CHARS = 20_000;
const BAD = new Set(["session.failed", "system.error", "routing.loop_stopped"]);
const IN_WORDS = /^(session\.started|supervision\..*|routing\.loop_released|memory\..*|identity\..*|context\.reset)$/;

/* parts: its named elements; view: see cards.drawRow */
export function drawNotice(element, parts, notice, view) {
  const { type, body, actor } = notice;
  const brief = view.state.supervision.briefs.get(body.watchEventId);
  const isBad = BAD.has(type);
  const isKnown = isBad || IN_WORDS.test(type);
  const released = view.state.releases.get(notice.eventId) ?? null;
  element.dataset.eventId = notice.eventId;
  element.dataset.tone = isBad && released === null ? "bad" : "off";
  element.dataset.colour = view.colourOf(actor.actorId);
  parts.author.textContent = words.authorWords(actor);
  say(parts.words, words.noticeWords(notice, (actorIds) => namesOf(actorIds, view)), (text) => inNames(text, view.state.names));
  say(parts.hint, released === null ? body.hint ?? "" : "");
  parts.pause.textContent = pauseWords(body);
  parts.code.textContent = [body.errorCode, body.limit && `limits.${body.limit}`].filter(Boolean).join(" · ");
  drawTime(parts.time, notice.occurredAt);
  parts.loop.hidden = type !== "routing.loop_stopped";
  if (!parts.loop.hidden) drawLoop(parts, notice, released, view);
  parts.more.hidden = isKnown && !brief;
  if (brief) parts.details.textContent = brief;
  else if (!isKnown) parts.details.textContent = JSON.stringify(body, null, 2).slice(0, SHOWN_DETAIL_CHARS);
}

/* Agents that a limit has stopped: who wanted to call whom, with what, and whether a person lets them go on. */
function drawLoop(parts, { eventId, body }, released, view) {
  const told = body.excerpt === undefined ? gettext("%s wanted to call %s.") : gettext("%s wanted to say to %s:");
  parts.call.textContent = interpolate(told, [namesOf([body.actorId], view), namesOf(body.targets, view)]);
  parts.excerpt.hidden = body.excerpt === undefined;
  parts.excerpt.textContent = body.excerpt ?? "";
  parts["show-turn"].dataset.turnId = body.turnId;
  parts["grant-without"].hidden = released !== null || !view.unsendable.has(eventId);
  parts.grant.hidden = released !== null || body.limit === "queuePerAgent";
  parts.granted.hidden = released === null;
  if (released !== null) parts.granted.textContent = interpolate(gettext("They were let go on; the limit is %s now."), [words.numberWords(released)]);
}
