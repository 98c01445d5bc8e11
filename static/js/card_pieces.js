/* What entries of several kinds are drawn with. textContent only. */

import * as words from "./words.js";

export function drawTime(element, at) {
  if (!at || element.dateTime === at) return;
  element.dateTime = at;
  element.textContent = words.timeWords(at);
  element.title = words.exactWords(at);
}

/* A sentence from the log in the reader's language, then as `reworded`; what was written stays behind it. */
export function say(element, sentence, reworded = (text) => text) {
  const shown = reworded(words.sentenceWords(sentence));
  element.textContent = shown;
  if (shown === sentence) element.removeAttribute("title");
  else element.title = sentence;
}

export function namesOf(actorIds, view) {
  return words.listWords(actorIds.map((actorId) => view.state.names.get(actorId) ?? actorId));
}

/* Of a turn's end or of a start that failed. */
export function pauseWords(ending) {
  if (!ending?.pausedUntil) return "";
  return interpolate(gettext("The agent pauses until %s; its card lets it go on sooner."), [words.momentWords(ending.pausedUntil)]);
}
