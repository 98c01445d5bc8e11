/* Sentences of the room name agents by their ids and limits as the configuration does; a person reads names and words. */

import { limitWords } from "./words.js";

const AGENT_ID = /\bagent:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/g;
const LIMIT = /\blimits\.(\w+)/g;

/* names: Map of actorId -> name */
export function inNames(text, names) {
  const named = text.replace(AGENT_ID, (actorId) => names.get(actorId) ?? actorId);
  return named.replace(LIMIT, (written, limit) => limitWords(limit) ?? written);
}
