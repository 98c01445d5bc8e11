/* The room as a page knows it: a pure fold of envelopes. No DOM, no network, no clock.

   foldAll(state, envelopes) gives a new state and leaves the old one as it was; whatever did not change is the same
   object in both, so that rendering may compare by identity.

   Durable events are known by seq. They reach a page without a hole from either end: newer ones in seq order from
   the stream, older ones newest first from the history. So [oldestSeq, cursor] is what was seen, and a second
   sighting changes nothing. Every field that durable events set is the same whichever end they came from.

   Transient events only ever touch `turn.live` (turn_live.js), which a fresh snapshot does not have. */

import { NO_LIVE, cutOf, foldLive, thoughtUntil } from "./turn_live.js";

export const TERMINAL = new Set(["completed", "failed", "cancelled", "interrupted"]);

const STATUS_OF = {
  "turn.queued": "queued",
  "turn.dispatched": "dispatching",
  "turn.started": "running",
  "turn.completed": "completed",
  "turn.failed": "failed",
  "turn.cancelled": "cancelled",
  "turn.interrupted": "interrupted",
};

/* The roster tells these; a line in the timeline for each would be noise. */
const QUIET = new Set(["session.starting", "session.ready", "session.resumed", "session.stopped"]);

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

export function isOpen(turn) {
  return !TERMINAL.has(turn.status);
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
  if (STATUS_OF[type]) return takeStatus(draft, envelope);
  if (type === "turn.reasoning.recorded") {
    const turn = changeTurn(draft, body.turnId, { targetActorId: envelope.actor.actorId, seq: envelope.seq });
    turn.reasoning = { eventId: envelope.eventId, content: body.content, ...cutOf(body) };
    return undefined;
  }
  if (type === "tool.progress.recorded") return takeRecordedTool(draft, envelope);
  if (QUIET.has(type)) return undefined;
  if (type === "session.started" && !body.contextLost) return undefined;
  draft.notices.set(envelope.eventId, {
    eventId: envelope.eventId, seq: envelope.seq, type, body, actor: envelope.actor, occurredAt: envelope.occurredAt,
  });
  draft.shape += 1;
  return undefined;
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

function takeStatus(draft, envelope) {
  const { type, body, seq } = envelope;
  const turn = changeTurn(draft, body.turnId, { targetActorId: body.targetActorId, seq });
  const status = STATUS_OF[type];
  draft.shape += 1;
  if (status === "queued") {
    turn.queuedSeq = turn.queuedSeq === null ? seq : Math.min(turn.queuedSeq, seq);
    turn.queuedAt = envelope.occurredAt;
    noteCause(draft, turn, envelope.causationId);
  } else if (status === "dispatching") {
    if (turn.dispatchedSeq === null || seq > turn.dispatchedSeq) turn.dispatchedSeq = seq;
  } else if (status === "running") {
    turn.startedAt = seq > turn.statusSeq || turn.startedAt === null ? envelope.occurredAt : turn.startedAt;
  } else {
    turn.endedAt = envelope.occurredAt;
    turn.ending = {
      eventId: envelope.eventId,
      errorCode: body.errorCode ?? null,
      message: body.message ?? null,
      hint: body.hint ?? null,
      note: body.note ?? null,
      stopReason: body.stopReason ?? null,
      ...cutOf(body),
    };
    turn.partialText = body.partialText ?? "";
  }
  const isNewest = seq > turn.statusSeq;
  if (body.attemptId && seq > turn.attemptSeq) {
    // another try: its text starts anew
    if (isNewest && turn.attemptId !== null && turn.attemptId !== body.attemptId) turn.live = NO_LIVE;
    turn.attemptId = body.attemptId;
    turn.attemptSeq = seq;
  }
  if (!isNewest) return;
  turn.statusSeq = seq;
  turn.status = status;
  if (TERMINAL.has(status)) {
    const over = thoughtUntil(turn.live, Date.parse(envelope.occurredAt));
    turn.live = { ...turn.live, ...over, progress: null, quietSeconds: 0, cancelling: false };
  }
}

/* A turn is caused by its message, a retry by the turn that ended badly. */
function noteCause(draft, turn, causationId) {
  if (!causationId) return;
  if (!causationId.startsWith("turn_")) {
    turn.sourceEventId ??= causationId;
    return;
  }
  turn.retryOf = causationId;
  draft.retries.set(causationId, turn.turnId);
  if (draft.turns.has(causationId)) changeTurn(draft, causationId, {}); // it shows that it was tried again
}

function takeRecordedTool(draft, envelope) {
  const { body, seq } = envelope;
  const turn = changeTurn(draft, body.turnId, { targetActorId: envelope.actor.actorId, seq });
  const key = body.toolCallId ?? envelope.eventId;
  const before = turn.tools.get(key);
  const isNewest = !before || seq > before.lastSeq;
  const tools = new Map(turn.tools);
  tools.set(key, {
    toolCallId: key,
    name: isNewest ? body.name : before.name,
    status: isNewest ? body.status : before.status,
    details: isNewest ? { ...before?.details, ...body.details } : { ...body.details, ...before.details },
    eventId: isNewest ? envelope.eventId : before.eventId,
    ...cutOf(isNewest ? body : before),
    firstSeq: before ? Math.min(before.firstSeq, seq) : seq,
    lastSeq: before ? Math.max(before.lastSeq, seq) : seq,
    startedAt: null,
    endedAt: null,
  });
  turn.tools = tools;
}

function takeTransient(draft, envelope) {
  const turnId = envelope.body?.turnId;
  if (!turnId) return;
  const known = draft.turns.get(turnId);
  if (known && !isOpen(known)) return; // late: the end was already told
  const before = known?.live ?? NO_LIVE;
  const live = foldLive(before, envelope);
  if (live === before) return;
  changeTurn(draft, turnId, { targetActorId: envelope.actor.actorId }).live = live;
}

function changeTurn(draft, turnId, { targetActorId, seq = null }) {
  draft.touched = true;
  const before = draft.turns.get(turnId);
  let turn = before;
  if (!draft.fresh.has(turnId)) {
    turn = before ? { ...before } : newTurn(turnId);
    draft.turns.set(turnId, turn);
    draft.fresh.add(turnId);
    if (!before) draft.shape += 1;
  }
  if (targetActorId) turn.targetActorId = targetActorId;
  if (seq !== null) turn.firstSeq = turn.firstSeq === null ? seq : Math.min(turn.firstSeq, seq);
  return turn;
}

function newTurn(turnId) {
  return {
    turnId,
    targetActorId: null,
    sourceEventId: null,
    retryOf: null,
    status: "running", // of a turn of which only transient events are known yet
    statusSeq: -1,
    attemptId: null,
    attemptSeq: -1,
    firstSeq: null,
    queuedSeq: null,
    queuedAt: null,
    dispatchedSeq: null,
    startedAt: null,
    endedAt: null,
    ending: null,
    partialText: "",
    answer: null,
    reasoning: null,
    tools: new Map(),
    live: NO_LIVE,
  };
}
