/* What a reader sees of the room's state: entries in their order, and what each shows. Pure, like the fold. */

import { DISPATCH, sourceOf } from "./dispatches.js";
import { isOpen } from "./timeline_turns.js";

/* The text to show: the durable answer, else what was kept of it, else what streamed so far. */
export function textOf(turn) {
  if (turn.answer) return turn.answer.content;
  if (!isOpen(turn) && turn.partialText) return turn.partialText;
  return turn.live.text;
}

export function reasoningOf(turn) {
  return turn.reasoning ? turn.reasoning.content : turn.live.reasoning;
}

/* Milliseconds of thinking so far, where this page saw it happen; else null. */
export function thoughtMs(turn) {
  const { reasoningIndex, sawAllThinking, thinkingSince, thinkingUntil, thoughtMs: ms } = turn.live;
  if (reasoningIndex < 0 || !sawAllThinking) return null;
  return thinkingSince === null ? ms : ms + Math.max(0, thinkingUntil - thinkingSince);
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

/* A message, or work that was given without one: {eventId, actor, content}. */
export function findMessage(state, eventId) {
  const turnId = state.answers.get(eventId);
  if (turnId) return state.turns.get(turnId).answer;
  const notice = state.notices.get(eventId);
  return state.messages.get(eventId) ?? (notice?.type === DISPATCH ? notice : undefined);
}

/* Entries from top to bottom: {key, kind: message|turn|notice|dispatch, id, at, quote}. A turn stands where it began to run.
   `quote` is the eventId to be shown above an entry: every reply of a person, and an answer whose question is not
   the message right before it. An agent that fails to start in the same way again and again
   is told of once, by the newest notice of a row. Depends on nothing but what `shape` counts. */
export function rows(state) {
  const found = [];
  for (const message of state.messages.values()) {
    found.push({ key: `m:${message.eventId}`, kind: "message", id: message.eventId, position: message.seq, at: message.occurredAt });
  }
  for (const turn of state.turns.values()) {
    found.push({ key: `t:${turn.turnId}`, kind: "turn", id: turn.turnId, position: positionOf(turn), at: turn.startedAt ?? turn.queuedAt ?? turn.endedAt });
  }
  for (const notice of state.notices.values()) {
    const kind = notice.type === DISPATCH ? "dispatch" : "notice";
    found.push({ key: `n:${notice.eventId}`, kind, id: notice.eventId, position: notice.seq, at: notice.occurredAt });
  }
  found.sort((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1));
  const shown = found.filter((row, index) => !isSaidAgain(state, row, found[index + 1]));
  let question = null;
  for (const row of shown) {
    row.quote = null;
    if (row.kind === "message") {
      row.quote = state.messages.get(row.id).replyToEventId ?? null;
      question = row.id;
    } else if (row.kind === "dispatch") {
      question = row.id;
    } else if (row.kind === "turn") {
      const source = sourceOf(state, state.turns.get(row.id));
      row.quote = source !== null && source !== question ? source : null;
    }
  }
  return shown;
}

function isSaidAgain(state, row, next) {
  if (row.kind !== "notice" || next?.kind !== "notice") return false;
  const [notice, newer] = [state.notices.get(row.id), state.notices.get(next.id)];
  return notice.type === "session.failed" && newer.type === notice.type && JSON.stringify(newer.body) === JSON.stringify(notice.body);
}

/* A turn of which nothing durable is known stands last: it is running now. */
function positionOf(turn) {
  return turn.dispatchedSeq ?? turn.queuedSeq ?? turn.firstSeq ?? Infinity;
}
