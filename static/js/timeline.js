/* The room as a page knows it: a pure fold of envelopes. No DOM, no network, no clock.

   foldAll(state, envelopes) gives a new state and leaves the old one as it was; whatever did not change is the same
   object in both, so that rendering may compare by identity.

   Durable events are known by seq. They reach a page without a hole from either end: newer ones in seq order from
   the stream, older ones newest first from the history. So [oldestSeq, cursor] is what was seen, and a second
   sighting changes nothing. Every field that durable events set is the same whichever end they came from.

   Transient events only ever touch `turn.live`, which a fresh snapshot does not have. */

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

const NO_LIVE = Object.freeze({
  text: "",
  chunkIndex: -1,
  reasoning: "",
  reasoningIndex: -1,
  thinkingSince: null,
  thoughtMs: 0,
  sawAllThinking: true,
  tools: new Map(),
  progress: null,
  quietSeconds: 0,
  cancelling: false,
});

export function emptyTimeline() {
  return {
    cursor: 0,
    oldestSeq: 1,
    shape: 0, // raised whenever an entry appears or moves
    names: new Map(), // actorId -> displayName
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

export function fold(state, envelope) {
  return foldAll(state, [envelope]);
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

/* ---------------------------------------------------------------- what a reader asks of a state */

export function isOpen(turn) {
  return !TERMINAL.has(turn.status);
}

/* The text to show: the durable answer, else what was kept of it, else what streamed so far. */
export function textOf(turn) {
  if (turn.answer) return turn.answer.content;
  if (!isOpen(turn) && turn.partialText) return turn.partialText;
  return turn.live.text;
}

export function reasoningOf(turn) {
  return turn.reasoning ? turn.reasoning.content : turn.live.reasoning;
}

/* Milliseconds of thinking, where this page saw it happen; else null. */
export function thoughtMs(turn) {
  const { reasoningIndex, sawAllThinking, thoughtMs: ms } = turn.live;
  return reasoningIndex >= 0 && sawAllThinking ? ms : null;
}

/* Tool calls in native order: the recorded ones once they are there, else the live ones. */
export function toolsOf(turn) {
  const recorded = [...turn.tools.values()].sort((a, b) => a.firstSeq - b.firstSeq);
  const tools = recorded.length > 0 ? recorded : [...turn.live.tools.values()];
  return tools.map((tool) => {
    const seen = turn.live.tools.get(tool.toolCallId) ?? tool;
    const told = tool.details.durationMs;
    const measured = seen.startedAt !== null && seen.endedAt !== null ? seen.endedAt - seen.startedAt : null;
    return { ...tool, durationMs: typeof told === "number" ? told : measured };
  });
}

export function findMessage(state, eventId) {
  const turnId = state.answers.get(eventId);
  return turnId ? state.turns.get(turnId).answer : state.messages.get(eventId);
}

/* The message that a turn answers; a retry answers what the turn before it did. */
export function sourceOf(state, turn) {
  let asked = turn;
  while (asked && !asked.sourceEventId && asked.retryOf) asked = state.turns.get(asked.retryOf);
  return asked?.sourceEventId ?? null;
}

/* Entries from top to bottom: {key, kind: message|turn|notice, id, at, quote}. A turn stands where it began to run.
   `quote` is the eventId to be shown above an entry: every reply of a person, and an answer whose question is not
   the message right before it. Depends on nothing but what `shape` counts. */
export function rows(state) {
  const found = [];
  for (const message of state.messages.values()) {
    found.push({ key: `m:${message.eventId}`, kind: "message", id: message.eventId, position: message.seq, at: message.occurredAt });
  }
  for (const turn of state.turns.values()) {
    found.push({ key: `t:${turn.turnId}`, kind: "turn", id: turn.turnId, position: positionOf(turn), at: turn.startedAt ?? turn.queuedAt ?? turn.endedAt });
  }
  for (const notice of state.notices.values()) {
    found.push({ key: `n:${notice.eventId}`, kind: "notice", id: notice.eventId, position: notice.seq, at: notice.occurredAt });
  }
  found.sort((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1));
  let question = null;
  for (const row of found) {
    row.quote = null;
    if (row.kind === "message") {
      row.quote = state.messages.get(row.id).replyToEventId ?? null;
      question = row.id;
    } else if (row.kind === "turn") {
      const source = sourceOf(state, state.turns.get(row.id));
      row.quote = source !== null && source !== question ? source : null;
    }
  }
  return found;
}

/* ---------------------------------------------------------------- the fold */

function draftOf(state) {
  return {
    ...state,
    names: new Map(state.names),
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
  const { type, body } = envelope;
  if (!body?.turnId || !TRANSIENT[type]) return;
  const known = draft.turns.get(body.turnId);
  if (known && !isOpen(known)) return; // late: the end was already told
  const live = TRANSIENT[type](known?.live ?? NO_LIVE, body, Date.parse(envelope.occurredAt));
  if (known && live === known.live) return;
  changeTurn(draft, body.turnId, { targetActorId: envelope.actor.actorId }).live = live;
}

const TRANSIENT = {
  "turn.content.delta"(live, body, at) {
    const merged = withDelta(live.text, live.chunkIndex, body);
    if (!merged) return live;
    return { ...live, ...thoughtUntil(live, at), text: merged.text, chunkIndex: merged.index, quietSeconds: 0 };
  },
  "turn.reasoning.delta"(live, body, at) {
    const merged = withDelta(live.reasoning, live.reasoningIndex, body);
    if (!merged) return live;
    return {
      ...live,
      reasoning: merged.text,
      reasoningIndex: merged.index,
      thinkingSince: live.thinkingSince ?? at,
      sawAllThinking: live.sawAllThinking && !body.replace, // who comes late did not see it begin
      quietSeconds: 0,
    };
  },
  "tool.progress"(live, body, at) {
    if (!body.toolCallId) return live;
    const before = live.tools.get(body.toolCallId);
    const isOver = body.status === "completed" || body.status === "failed";
    if (before?.endedAt && !isOver) return live;
    const tools = new Map(live.tools);
    tools.set(body.toolCallId, {
      toolCallId: body.toolCallId,
      name: body.name || before?.name || "",
      status: body.status,
      details: { ...before?.details, ...body.details },
      eventId: null,
      ...cutOf(body),
      // who comes late has not seen the call begin
      startedAt: before ? before.startedAt : body.nativeType === "tool.started" ? at : null,
      endedAt: isOver ? at : null,
    });
    return { ...live, ...thoughtUntil(live, at), tools, quietSeconds: 0 };
  },
  "turn.progress"(live, body) {
    return { ...live, progress: { kind: body.kind, details: body.details ?? {} }, quietSeconds: 0 };
  },
  "adapter.heartbeat"(live, body) {
    return { ...live, quietSeconds: body.quietSeconds };
  },
};

/* Thinking lasts until the agent does something else. */
function thoughtUntil({ thinkingSince, thoughtMs: ms }, at) {
  return thinkingSince === null ? {} : { thinkingSince: null, thoughtMs: ms + Math.max(0, at - thinkingSince) };
}

/* Chunks come in order; one already merged is dropped; `replace` is the whole text up to its chunkIndex. */
function withDelta(text, index, { chunkIndex, text: more, replace }) {
  if (replace) return chunkIndex < index ? null : { text: more, index: chunkIndex };
  return chunkIndex <= index ? null : { text: text + more, index: chunkIndex };
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

/* A turn of which nothing durable is known stands last: it is running now. */
function positionOf(turn) {
  return turn.dispatchedSeq ?? turn.queuedSeq ?? turn.firstSeq ?? Infinity;
}

function cutOf({ truncated = false, fullLength = null }) {
  return { truncated, fullLength };
}
