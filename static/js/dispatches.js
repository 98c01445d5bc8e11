/* Work that was given to agents without a message (operator.dispatch), in the fold of timeline.js. Pure. */

import { isWatch } from "./supervision.js";

export const DISPATCH = "operator.dispatch";

/* The event that a turn answers; a retry answers what the turn before it did, a turn after a steer the guidance. */
export function sourceOf(state, turn) {
  let asked = turn;
  while (asked && !asked.sourceEventId && asked.retryOf) asked = state.turns.get(asked.retryOf);
  if (!asked || isWatch(state, asked)) return null;
  return state.supervision.guided.get(asked.turnId) ?? asked.sourceEventId;
}

/* A turn has changed: the work that it belongs to shows how that goes. */
export function noteWork(draft, turnId) {
  const notice = draft.notices.get(sourceOf(draft, draft.turns.get(turnId)));
  if (notice?.type === DISPATCH) draft.notices.set(notice.eventId, { ...notice });
}

/* The turns that work at it, oldest first; of one that was tried again, the newest try. */
export function workOf(state, eventId) {
  const found = [...state.turns.values()].filter((turn) => !state.retries.has(turn.turnId) && sourceOf(state, turn) === eventId);
  return found.sort((a, b) => (a.queuedSeq ?? Infinity) - (b.queuedSeq ?? Infinity) || (a.turnId < b.turnId ? -1 : 1));
}
