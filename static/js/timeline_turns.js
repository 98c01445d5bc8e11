/* One turn in the fold of timeline.js: what its events change. `draft` is the state being folded; a turn is copied in
   it once and then changed in place. */

import { NO_LIVE, cutOf, foldLive, thoughtUntil } from "./turn_live.js";

const TERMINAL = new Set(["completed", "failed", "cancelled", "interrupted"]);

const STATUS_OF = {
  "turn.queued": "queued",
  "turn.dispatched": "dispatching",
  "turn.started": "running",
  "turn.completed": "completed",
  "turn.failed": "failed",
  "turn.cancelled": "cancelled",
  "turn.interrupted": "interrupted",
};

export function isOpen(turn) {
  return !TERMINAL.has(turn.status);
}

export const tellsStatus = (type) => STATUS_OF[type] !== undefined;

export function takeStatus(draft, envelope) {
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
      pausedUntil: body.pausedUntil ?? null,
      usage: body.usage ?? null,
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

export function takeReasoning(draft, { eventId, seq, actor, body }) {
  const turn = changeTurn(draft, body.turnId, { targetActorId: actor.actorId, seq });
  turn.reasoning = { eventId, content: body.content, ...cutOf(body) };
}

export function takeRecordedTool(draft, envelope) {
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

export function takeTransient(draft, envelope) {
  const turnId = envelope.body?.turnId;
  if (!turnId) return;
  const known = draft.turns.get(turnId);
  if (known && !isOpen(known)) return; // late: the end was already told
  const before = known?.live ?? NO_LIVE;
  const live = foldLive(before, envelope);
  if (live === before) return;
  changeTurn(draft, turnId, { targetActorId: envelope.actor.actorId }).live = live;
}

export function changeTurn(draft, turnId, { targetActorId, seq = null }) {
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
