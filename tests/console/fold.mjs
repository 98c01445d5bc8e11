// Runs scenarios through static/js/timeline.js: [{snapshot?, batches: [[envelope]]}] on stdin, what a reader would
// see of each on stdout, and which dispatches the last batch has changed. `durable` leaves out what no snapshot has: a turn's live part, and the counter of changes.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const here = pathToFileURL(process.argv[2]);
const timeline = await import(here);
const { isOpen } = await import(new URL("timeline_turns.js", here));
const { DISPATCH, workOf } = await import(new URL("dispatches.js", here));
const supervision = await import(new URL("supervision.js", here));
const reader = await import(new URL("timeline_rows.js", here));

function plain(value) {
  if (value instanceof Map) return Object.fromEntries([...value].sort().map(([key, item]) => [key, plain(item)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return value;
}

function durable({ shape, ...state }) {
  const turns = new Map([...state.turns].map(([turnId, { live, ...turn }]) => [turnId, turn]));
  return plain({ ...state, turns });
}

const dispatchesOf = ({ notices }) => [...notices.values()].filter(({ type }) => type === DISPATCH);

function seen(state) {
  return {
    durable: durable(state),
    work: Object.fromEntries(dispatchesOf(state).map(({ eventId }) => [eventId, workOf(state, eventId).map(({ turnId }) => turnId)])),
    rows: reader.rows(state).map(({ key, quote }) => ({ key, quote })),
    turns: Object.fromEntries([...state.turns].map(([turnId, turn]) => [turnId, {
      status: turn.status,
      isOpen: isOpen(turn),
      isCancelling: turn.live.cancelling,
      redirection: supervision.redirectionOf(state, turn),
      text: reader.textOf(turn),
      fullLength: turn.live.fullLength,
      reasoning: reader.reasoningOf(turn),
      thoughtMs: reader.thoughtMs(turn),
      tools: reader.toolsOf(turn).map(({ toolCallId, name, status, details, durationMs }) => ({ toolCallId, name, status, details, durationMs })),
    }])),
  };
}

const results = JSON.parse(readFileSync(0, "utf8")).map(({ snapshot, batches }) => {
  let last = timeline.emptyTimeline();
  let state = snapshot ? timeline.fromSnapshot(snapshot) : timeline.emptyTimeline();
  for (const batch of batches) {
    const before = state;
    last = before;
    const copy = JSON.stringify(plain(before));
    state = timeline.foldAll(before, batch);
    if (JSON.stringify(plain(before)) !== copy) throw new Error("the fold changed the state it was given");
  }
  const redrawn = dispatchesOf(state).filter((dispatch) => last.notices.get(dispatch.eventId) !== dispatch);
  return { seen: seen(state), redrawn: redrawn.map(({ eventId }) => eventId) };
});
process.stdout.write(JSON.stringify(results));
