/* What the log tells of observers, in the fold of timeline.js: who watches whom, and which turn a steer has started. */

import { changeTurn } from "./timeline_turns.js";

export const NO_SUPERVISION = () => ({
  briefs: new Map(), // eventId of what watch turns were made for -> its text
  watches: new Map(), // turnId of an observer -> actorIds it watches
  guided: new Map(), // turnId that a steer has queued -> eventId of the guidance
});

export const copyOf = ({ briefs, watches, guided }) => ({
  briefs: new Map(briefs),
  watches: new Map(watches),
  guided: new Map(guided),
});

const TAKEN = {
  "supervision.brief"({ supervision, notices }, { eventId, body }) {
    supervision.briefs.set(eventId, body.content);
    for (const [key, notice] of notices) {
      if (notice.body.watchEventId === eventId) notices.set(key, { ...notice }); // it shows the text
    }
  },
  "supervision.paired"(draft, { body }) {
    const workers = body.workers.map(({ targetActorId }) => targetActorId);
    for (const { turnId } of body.watchers) {
      draft.supervision.watches.set(turnId, workers);
      if (draft.turns.has(turnId)) changeTurn(draft, turnId, {}); // its head says so
    }
  },
  "supervision.steered"({ supervision }, { body }) {
    supervision.guided.set(body.nextTurnId, body.messageEventId);
  },
};

export function takeSupervision(draft, envelope) {
  TAKEN[envelope.type]?.(draft, envelope);
}

/* A turn that was made to watch answers no message that a reader sees. */
export function isWatch({ supervision }, turn) {
  return supervision.watches.has(turn.turnId) || supervision.briefs.has(turn.sourceEventId);
}
