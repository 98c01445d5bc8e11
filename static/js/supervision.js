/* What the log tells of observers, in the fold of timeline.js: who watches whom, and which turn a steer has started. */

import { changeTurn } from "./timeline_turns.js";

export const NO_SUPERVISION = () => ({
  briefs: new Map(), // eventId of what watch turns were made for -> its text
  watches: new Map(), // turnId of an observer -> actorIds it watches
  guided: new Map(), // turnId that a steer has queued -> eventId of the guidance
  redirected: new Map(), // turnId that a steer has interrupted -> { actorId of the observer, reason }
});

export const copyOf = ({ briefs, watches, guided, redirected }) => ({
  briefs: new Map(briefs),
  watches: new Map(watches),
  guided: new Map(guided),
  redirected: new Map(redirected),
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
  "supervision.steered"(draft, { actor, body }) {
    draft.supervision.guided.set(body.nextTurnId, body.messageEventId);
    if (body.action !== "interrupt") return;
    draft.supervision.redirected.set(body.subjectTurnId, { actorId: actor.actorId, reason: body.reason });
    if (draft.turns.has(body.subjectTurnId)) changeTurn(draft, body.subjectTurnId, {}); // its end says so
  },
};

export function takeSupervision(draft, envelope) {
  TAKEN[envelope.type]?.(draft, envelope);
}

/* Who ended this turn by a steer, and why; null where it ended in any other way, be it that it was faster. */
export function redirectionOf({ supervision }, turn) {
  const isCancelled = turn.status === "cancelled" || turn.ending?.errorCode === "TURN_CANCEL_TIMEOUT";
  return (isCancelled && supervision.redirected.get(turn.turnId)) || null;
}

/* A turn that was made to watch answers no message that a reader sees. */
export function isWatch({ supervision }, turn) {
  return supervision.watches.has(turn.turnId) || supervision.briefs.has(turn.sourceEventId);
}
