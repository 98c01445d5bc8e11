/* What transient events tell of a running turn: the text so far, tools, signs of life. Pure: foldLive(live, envelope)
   gives a new value, or the same one where nothing changed. Reports may be told twice: after a reconnect of the lane
   or of the page they come again, as old as they are. */

export const NO_LIVE = Object.freeze({
  text: "",
  fullLength: null, // of a text of which only the beginning is told
  chunkIndex: -1,
  reasoning: "",
  reasoningIndex: -1,
  thinkingSince: null, // milliseconds, as thinkingUntil: the first and the newest delta of the present thought
  thinkingUntil: null,
  thoughtMs: 0, // in thoughts that are over
  sawAllThinking: true,
  tools: new Map(),
  progress: null,
  quietSeconds: 0,
  cancelling: false,
});

export function foldLive(live, { type, body, occurredAt }) {
  return TRANSIENT[type]?.(live, body, Date.parse(occurredAt)) ?? live;
}

const TRANSIENT = {
  "turn.content.delta"(live, body, at) {
    const merged = withDelta(live.text, live.chunkIndex, body);
    if (!merged) return live;
    return {
      ...live,
      ...thoughtUntil(live, at),
      text: merged.text,
      fullLength: body.fullLength ?? null,
      chunkIndex: merged.index,
      quietSeconds: 0,
    };
  },
  "turn.reasoning.delta"(live, body, at) {
    const merged = withDelta(live.reasoning, live.reasoningIndex, body);
    if (!merged) return live;
    if (merged.text === live.reasoning && !body.truncated) return { ...live, reasoningIndex: merged.index }; // told again, no new thought
    return {
      ...live,
      reasoning: merged.text,
      reasoningIndex: merged.index,
      thinkingSince: live.thinkingSince ?? at,
      thinkingUntil: at,
      sawAllThinking: live.sawAllThinking && (!body.replace || live.reasoning !== ""), // who comes late saw no beginning
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
      endedAt: before?.endedAt ?? (isOver ? at : null),
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
export function thoughtUntil({ thinkingSince, thoughtMs: ms }, at) {
  if (thinkingSince === null) return {};
  return { thinkingSince: null, thinkingUntil: null, thoughtMs: ms + Math.max(0, at - thinkingSince) };
}

/* Chunks come in order; one already merged is dropped; `replace` is the text up to its chunkIndex. */
function withDelta(text, index, { chunkIndex, text: more, replace }) {
  if (replace) return chunkIndex < index ? null : { text: more, index: chunkIndex };
  return chunkIndex <= index ? null : { text: text + more, index: chunkIndex };
}

/* Where long text was cut: {truncated, fullLength}. */
export function cutOf({ truncated = false, fullLength = null }) {
  return { truncated, fullLength };
}
