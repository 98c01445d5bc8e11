/* An entry for work that was given without a message: who gave it to whom, folded over what it is and its turns. */

import { drawTime, namesOf } from "./card_pieces.js";
import { workOf } from "./dispatches.js";
import { cloneTemplate, partsIn } from "./elements.js";
import { redirectionOf } from "./supervision.js";
import { showText } from "./text_blocks.js";
import { isOpen } from "./timeline_turns.js";
import { authorWords, dispatchWords, initials, numberWords, turnStateWords } from "./words.js";

/* parts: its named elements; pieces: what entries of all kinds share, {drawQuote, drawShowAll, drawDownload};
   view: see cards.drawRow */
export function drawDispatch(element, parts, dispatch, view, { drawQuote, drawShowAll, drawDownload }) {
  const { body, actor, eventId } = dispatch;
  const turns = workOf(view.state, eventId);
  element.dataset.eventId = eventId;
  element.dataset.colour = view.colourOf(actor.actorId);
  parts.author.textContent = authorWords(actor);
  parts.words.textContent = dispatchWords(body.operation, namesOf(body.targets, view));
  parts.state.textContent = stateWords(turns, view);
  parts.state.dataset.tone = toneOf(turns);
  drawTime(parts.time, dispatch.occurredAt);
  drawQuote(parts, dispatch.forwardedEventId, view);
  const whole = view.whole.get(eventId);
  showText(parts.text, whole?.content ?? dispatch.content);
  drawShowAll(parts["show-all"], dispatch, whole);
  drawDownload(parts.download, dispatch);
  parts.turns.hidden = turns.length === 0;
  parts.turns.replaceChildren(...turns.map((turn) => drawTurn(turn, view)));
}

function drawTurn(turn, view) {
  const line = cloneTemplate("dispatch-turn");
  const parts = partsIn(line);
  const name = namesOf([turn.targetActorId], view);
  line.dataset.colour = view.colourOf(turn.targetActorId);
  parts.name.textContent = name;
  parts.avatar.textContent = initials(name);
  parts.state.textContent = turnWords(turn, view);
  parts.show.dataset.turnId = turn.turnId;
  parts.show.setAttribute("aria-label", interpolate(gettext("Show the turn of %s"), [name]));
  return line;
}

const turnWords = (turn, view) => (redirectionOf(view.state, turn) ? gettext("redirected") : turnStateWords(turn.status));

/* How the work goes as a whole. */
function stateWords(turns, view) {
  const words = new Set(turns.map((turn) => turnWords(turn, view)));
  if (words.size <= 1) return [...words].join("");
  const over = turns.filter((turn) => !isOpen(turn)).length;
  return interpolate(gettext("%s of %s ended"), [over, turns.length].map(numberWords));
}

function toneOf(turns) {
  if (turns.some(isOpen)) return "work";
  return turns.some(({ status }) => status === "failed" || status === "interrupted") ? "bad" : "off";
}
