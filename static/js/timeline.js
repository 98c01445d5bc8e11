/* The room as a page knows it: a pure fold of envelopes. No DOM, no network, no clock.

   foldAll(state, envelopes) gives a new state and leaves the old one as it was; whatever did not change is the same
   object in both, so that rendering may compare by identity.

   Durable events are known by seq. They reach a page without a hole from either end: newer ones in seq order from
   the stream, older ones newest first from the history. So [oldestSeq, cursor] is what was seen, and a second
   sighting changes nothing. Every field that durable events set is the same whichever end they came from.

   Transient events only ever touch `turn.live` (turn_live.js), which a fresh snapshot does not have. */

import { DISPATCH, noteWork } from "./dispatches.js";
import { NO_SUPERVISION, copyOf, takeSupervision } from "./supervision.js";
import { changeTurn, isOpen, takeReasoning, takeRecordedTool, takeStatus, takeTransient, tellsStatus } from "./timeline_turns.js";
import { cutOf } from "./turn_live.js";

/* The roster tells these, or another row; a line in the timeline for each would be noise. */
const QUIET = new Set(["session.starting", "session.ready", "session.resumed", "session.stopped", "supervision.brief"]);

export function emptyTimeline() {
  return {
    cursor: 0,
    oldestSeq: 1,
    shape: 0, // raised whenever an entry appears or moves
    names: new Map(), // actorId -> displayName
    products: new Map(), // actorId -> how the agent's program calls itself
    messages: new Map(), // eventId -> message; answers live in their turn
    turns: new Map(), // turnId -> turn
    notices: new Map(), // eventId -> what is neither message nor turn
    answers: new Map(), // eventId of an answer -> turnId
    retries: new Map(), // turnId -> turnId of its retry
    releases: new Map(), // eventId of a stop at a limit -> the limit since a person let them go on
    supervision: NO_SUPERVISION(),
  };
}

/* bootstrap: {cursor, agents, activeTurns, recentEvents (oldest first)} */
export function fromSnapshot({ cursor, agents = [], activeTurns = [], recentEvents = [] }) {
  const draft = draftOf(emptyTimeline());
  draft.cursor = cursor;
  draft.oldestSeq = cursor + 1;
  for (const agent of agents) draft.names.set(agent.actorId, agent.displayName);
  for (let i = recentEvents.length - 1; i >= 0; i -= 1) take(draft, recentEvents[i]);
  for (const active of activeTurns) {
    const turn = changeTurn(draft, active.turnId, { targetActorId: active.targetActorId });
    if (turn.queuedSeq === null) turn.sourceEventId ??= active.sourceEventId; // else its events tell
    if (turn.statusSeq < 0) turn.status = active.status === "cancelling" ? "running" : active.status;
    if (active.status === "cancelling") turn.live = { ...turn.live, cancelling: true };
  }
  return settled(draft);
}

export function foldAll(state, envelopes) {
  const draft = draftOf(state);
  for (const envelope of envelopes) take(draft, envelope);
  return draft.touched ? settled(draft) : state;
}

/* A cancel was accepted: no event says so until the turn has ended. */
export function markCancelling(state, turnId) {
  const turn = state.turns.get(turnId);
  if (!turn || !isOpen(turn)) return state;
  const draft = draftOf(state);
  const changed = changeTurn(draft, turnId, {});
  changed.live = { ...changed.live, cancelling: true };
  return settled(draft);
}

/* What transient events have told of the open turns, for a page that comes late and hears through this one. */
export function livesOf(state) {
  const open = [...state.turns.values()].filter(isOpen);
  return open.map(({ turnId, targetActorId, live }) => ({ turnId, targetActorId, live }));
}

export function withLives(state, lives) {
  const draft = draftOf(state);
  for (const { turnId, targetActorId, live } of lives) {
    const known = draft.turns.get(turnId);
    if (known && !isOpen(known)) continue; // it ended meanwhile
    changeTurn(draft, turnId, { targetActorId }).live = live;
  }
  return settled(draft);
}

/* ---------------------------------------------------------------- the fold */

function draftOf(state) {
  return {
    ...state,
    names: new Map(state.names),
    products: new Map(state.products),
    messages: new Map(state.messages),
    turns: new Map(state.turns),
    notices: new Map(state.notices),
    answers: new Map(state.answers),
    retries: new Map(state.retries),
    releases: new Map(state.releases),
    supervision: copyOf(state.supervision),
    fresh: new Set(), // turns copied in this fold: those may be changed in place
    touched: false,
  };
}

function settled(draft) {
  const { fresh, touched, ...state } = draft;
  return state;
}

function take(draft, envelope) {
  if (envelope.seq === null || envelope.seq === undefined) {
    takeTransient(draft, envelope);
    return;
  }
  const { seq } = envelope;
  if (seq >= draft.oldestSeq && seq <= draft.cursor) return;
  const isNewer = seq > draft.cursor;
  if (isNewer) draft.cursor = seq;
  else draft.oldestSeq = seq;
  draft.touched = true;
  const { actor } = envelope;
  if (isNewer || !draft.names.has(actor.actorId)) draft.names.set(actor.actorId, actor.displayName);
  if (envelope.type === "session.ready") takeProduct(draft, envelope.body, isNewer);
  takeDurable(draft, envelope);
}

function takeDurable(draft, envelope) {
  const { type, body } = envelope;
  if (type === "message.created") return takeMessage(draft, envelope);
  if (tellsStatus(type)) {
    takeStatus(draft, envelope);
    return noteWork(draft, body.turnId);
  }
  if (type === "turn.reasoning.recorded") return takeReasoning(draft, envelope);
  if (type === "tool.progress.recorded") return takeRecordedTool(draft, envelope);
  takeSupervision(draft, envelope);
  if (type === "routing.loop_released") takeRelease(draft, body);
  if (type === "supervision.brief") draft.shape += 1; // no row of its own: that of the pairing has it
  if (QUIET.has(type)) return undefined;
  if (type === "session.started" && !body.contextLost && !body.message) return undefined; // the usual start
  draft.notices.set(envelope.eventId, {
    eventId: envelope.eventId, seq: envelope.seq, type, body, actor: envelope.actor, occurredAt: envelope.occurredAt,
    rootCorrelationId: envelope.rootCorrelationId,
    ...(type === DISPATCH && { content: body.content, forwardedEventId: envelope.forwardedEventId ?? null, ...cutOf(body) }),
  });
  draft.shape += 1;
  return undefined;
}

function takeRelease({ releases, notices }, { stoppedEventId, maximum }) {
  releases.set(stoppedEventId, maximum);
  const stop = notices.get(stoppedEventId);
  if (stop) notices.set(stoppedEventId, { ...stop }); // it says so
}

function takeProduct(draft, { actorId, agentName = "" }, isNewer) {
  if (isNewer || !draft.products.has(actorId)) draft.products.set(actorId, agentName);
}

function takeMessage(draft, envelope) {
  const { body } = envelope;
  const message = {
    eventId: envelope.eventId,
    seq: envelope.seq,
    actor: envelope.actor,
    to: envelope.to,
    occurredAt: envelope.occurredAt,
    replyToEventId: envelope.replyToEventId ?? null,
    forwardedEventId: envelope.forwardedEventId ?? null,
    sourceKind: envelope.provenance?.sourceKind ?? null,
    content: body.content,
    ...cutOf(body),
  };
  draft.shape += 1;
  if (!body.turnId) {
    draft.messages.set(envelope.eventId, message);
    return;
  }
  const turn = changeTurn(draft, body.turnId, { targetActorId: envelope.actor.actorId, seq: envelope.seq });
  turn.answer = message;
  turn.sourceEventId ??= message.replyToEventId;
  draft.answers.set(envelope.eventId, body.turnId);
}
