/* Entries of the log: the page's templates, cloned and filled from the timeline's state. textContent only. */

import { drawTime, namesOf, pauseWords, say } from "./card_pieces.js";
import { drawDispatch } from "./dispatch_card.js";
import { cloneTemplate, partsIn, piece } from "./elements.js";
import { SHOWN_DETAIL_CHARS, drawNotice } from "./notices.js";
import { showText } from "./text_blocks.js";
import { redirectionOf } from "./supervision.js";
import { isOpen } from "./timeline_turns.js";
import { findMessage, reasoningOf, textOf, thoughtMs, toolsOf } from "./timeline_rows.js";
import { detailText, isNothing } from "./tool_details.js";
import { drawUse } from "./turn_use.js";
import * as words from "./words.js";

const QUOTE_CHARS = 140;
const IN_ITS_LINE = new Set(["title", "kind", "durationMs", "truncated"]); // details told elsewhere

/* A card's named parts, found once when it is cloned. */
const partsOf = new WeakMap();
const toolRowsOf = new WeakMap(); // entry -> {recorded, live, rows: Map}

export function cloneCard(kind) {
  const element = cloneTemplate(kind);
  partsOf.set(element, partsIn(element));
  return element;
}

/* Fill `element` (made by cloneCard(row.kind)) for one row of the timeline.

   view: {state, colourOf(actorId), productOf(actorId), everyone: Set of actorIds, whole: Map eventId -> body loaded
   in full, quoted: Map eventId -> message loaded from outside the known window, expanded: Set of tool keys, unsendable: Set of eventIds
   of stops at a limit whose message was refused} */
export function drawRow(element, row, view) {
  if (row.kind === "message") drawMessage(element, view.state.messages.get(row.id), row.quote, view);
  else if (row.kind === "turn") drawTurn(element, view.state.turns.get(row.id), row.quote, view);
  else if (row.kind === "dispatch") drawDispatch(element, partsOf.get(element), view.state.notices.get(row.id), view, PIECES);
  else drawNotice(element, partsOf.get(element), view.state.notices.get(row.id), view);
}

function drawMessage(element, message, quote, view) {
  const parts = partsOf.get(element);
  element.dataset.eventId = message.eventId;
  element.dataset.from = message.actor.kind;
  drawHead(element, parts, message.actor, message.occurredAt, view);
  parts.to.textContent = recipientWords(message.to, view);
  drawQuote(parts, quote, view);
  drawContent(parts, message, view);
}

function drawTurn(element, turn, quote, view) {
  const parts = partsOf.get(element);
  const open = isOpen(turn);
  const actor = turn.answer?.actor ?? {
    actorId: turn.targetActorId, kind: "agent", displayName: view.state.names.get(turn.targetActorId) ?? turn.targetActorId,
  };
  const hasText = textOf(turn) !== "";
  element.dataset.turnId = turn.turnId;
  element.dataset.status = turn.status;
  if (turn.answer) element.dataset.eventId = turn.answer.eventId;
  element.toggleAttribute("data-streaming", open && hasText);
  element.setAttribute("aria-busy", String(open));
  drawHead(element, parts, actor, turn.startedAt ?? turn.queuedAt ?? turn.answer?.occurredAt ?? turn.endedAt, view);
  parts.to.textContent = [view.productOf(actor.actorId), watchWords(turn, view)].filter(Boolean).join(" · ");
  drawQuote(parts, quote, view);
  drawThoughts(parts, turn, view);
  drawTools(element, parts, turn, view);
  parts.folds.hidden = parts.thoughts.hidden && toolRowsOf.get(element).rows.size === 0;
  if (turn.answer) drawContent(parts, turn.answer, view);
  else drawPartial(parts, turn, view);

  const redirected = redirectionOf(view.state, turn);
  const note = turn.ending?.note ?? cutWords(turn);
  parts.note.hidden = note === "";
  say(parts.note, note);
  parts.ending.hidden = open || turn.status === "completed";
  if (!parts.ending.hidden) {
    say(parts["ending-words"], redirected ? words.redirectedWords(namesOf([redirected.actorId], view), redirected.reason) : words.endingWords(turn));
    say(parts["ending-hint"], redirected ? "" : (turn.ending?.hint ?? ""));
    parts["ending-pause"].textContent = pauseWords(turn.ending);
    parts["ending-code"].textContent = redirected ? "" : (turn.ending?.errorCode ?? "");
  }

  drawUse(parts, turn.ending?.usage ?? null);
  const retriedBy = view.state.retries.get(turn.turnId);
  parts.state.textContent = open ? words.activityWords(turn) : retriedBy ? gettext("Tried again") : "";
  parts.elapsed.dataset.since = open && turn.startedAt ? turn.startedAt : "";
  if (!parts.elapsed.dataset.since) parts.elapsed.textContent = "";
  else tick(parts.elapsed);
  parts.cancel.hidden = !open || turn.live.cancelling;
  parts.fresh.hidden = turn.ending?.errorCode !== "NATIVE_CONTEXT_FULL" || retriedBy !== undefined;
  parts.retry.hidden = open || turn.status === "completed" || retriedBy !== undefined || redirected !== null; // it goes on as guided
  parts.foot.hidden = turn.status === "completed";
  parts.reply.hidden = !turn.answer;
  parts.pin.hidden = !turn.answer;
  parts.given.hidden = turn.dispatchedSeq === null && turn.startedAt === null;
}

/* Of an observer's turn. */
function watchWords(turn, view) {
  const watched = view.state.supervision.watches.get(turn.turnId);
  return watched ? interpolate(gettext("watches %s"), [namesOf(watched, view)]) : "";
}

/* Of a long answer only the beginning is told while it grows. */
function cutWords(turn) {
  if (!isOpen(turn) || turn.live.fullLength === null) return "";
  const length = words.numberWords(turn.live.fullLength);
  return interpolate(gettext("A long answer: %s characters so far. The rest can be read when the turn has ended."), [length]);
}

/* The time since a turn began, on every element that shows one. */
export function tick(elapsed) {
  const text = words.elapsedWords(Date.now() - Date.parse(elapsed.dataset.since));
  if (elapsed.textContent !== text) elapsed.textContent = text;
}

/* ---------------------------------------------------------------- pieces of entries */

function drawHead(element, parts, actor, at, view) {
  const name = words.authorWords(actor);
  element.dataset.colour = view.colourOf(actor.actorId);
  parts.author.textContent = name;
  parts.avatar.textContent = actor.actorId === "user:web" ? gettext("Me") : words.initials(name);
  drawTime(parts.time, at);
}

function recipientWords(to, view) {
  if (to.length === 0) return "";
  const isEveryone = to.length > 2 && [...view.everyone].every((actorId) => to.includes(actorId));
  if (isEveryone) return gettext("to everyone");
  return interpolate(gettext("to %s"), [namesOf(to, view)]);
}

function drawQuote(parts, eventId, view) {
  parts.quote.hidden = eventId === null;
  if (eventId === null) return;
  const message = findMessage(view.state, eventId) ?? view.quoted.get(eventId);
  parts.quote.dataset.eventId = eventId;
  parts.quote.textContent = message ? quoteWords(message) : gettext("An earlier message");
}

export function quoteWords(message) {
  const text = message.content.slice(0, QUOTE_CHARS).replace(/\s+/g, " ");
  // who says what
  return interpolate(gettext("%s: %s"), [words.authorWords(message.actor), message.content.length > QUOTE_CHARS ? `${text}…` : text]);
}

/* A message's text; cut ones get a button for the rest. */
function drawContent(parts, message, view) {
  const whole = view.whole.get(message.eventId);
  showText(parts.text, whole?.content ?? message.content);
  drawShowAll(parts["show-all"], message, whole);
  drawDownload(parts.download, message);
}

function drawPartial(parts, turn, view) {
  const whole = turn.ending ? view.whole.get(turn.ending.eventId) : undefined;
  showText(parts.text, whole?.partialText ?? textOf(turn));
  drawShowAll(parts["show-all"], turn.ending ?? { truncated: false }, whole);
  drawDownload(parts.download, turn.ending ?? { truncated: false });
}

function drawShowAll(button, { truncated, fullLength, eventId }, whole) {
  button.hidden = !truncated || whole !== undefined;
  if (button.hidden) return;
  button.dataset.eventId = eventId;
  button.textContent = interpolate(gettext("Show all (%s characters)"), [words.numberWords(fullLength)]);
}

function drawDownload(button, { truncated, eventId }) {
  button.hidden = !truncated;
  if (truncated) button.dataset.eventId = eventId;
}

const PIECES = { drawQuote, drawShowAll, drawDownload };

function drawThoughts(parts, turn, view) {
  const text = reasoningOf(turn);
  parts.thoughts.hidden = text === "";
  if (text === "") return;
  parts["thoughts-title"].textContent = words.thoughtWords(thoughtMs(turn), turn.live.thinkingSince !== null);
  if (!parts.thoughts.open) return; // filled when opened
  const whole = turn.reasoning ? view.whole.get(turn.reasoning.eventId) : undefined;
  showText(parts["thoughts-text"], whole?.content ?? text);
  drawShowAll(parts["thoughts-all"], turn.reasoning ?? { truncated: false }, whole);
}

function drawTools(element, parts, turn, view) {
  const drawn = toolRowsOf.get(element) ?? { recorded: null, live: null, rows: new Map() };
  toolRowsOf.set(element, drawn);
  if (drawn.recorded === turn.tools && drawn.live === turn.live.tools) return;
  drawn.recorded = turn.tools;
  drawn.live = turn.live.tools;
  const tools = toolsOf(turn);
  const present = new Set(tools.map((tool) => tool.toolCallId));
  for (const [toolCallId, row] of drawn.rows) {
    if (present.has(toolCallId)) continue;
    row.remove();
    drawn.rows.delete(toolCallId);
  }
  for (const tool of tools) {
    let row = drawn.rows.get(tool.toolCallId);
    if (!row) {
      row = cloneCard("tool");
      row.dataset.toolCallId = tool.toolCallId;
      drawn.rows.set(tool.toolCallId, row);
      parts.folds.append(row);
    }
    drawTool(row, tool, turn, view);
  }
}

function drawTool(row, tool, turn, view) {
  const parts = partsOf.get(row);
  const title = words.toolTitle(tool);
  row.dataset.status = tool.status;
  parts.name.textContent = tool.name;
  parts.title.textContent = title === tool.name ? "" : title;
  parts.state.textContent = words.toolStateWords(tool);
  if (row.open) drawToolInside(row, tool, turn, view);
}

/* Also called when a fold is opened, or its whole details arrived. */
export function drawOpenFold(entry, fold, turn, view) {
  if (fold.dataset.kind === "tool") {
    const tool = toolsOf(turn).find(({ toolCallId }) => toolCallId === fold.dataset.toolCallId);
    if (tool) drawToolInside(fold, tool, turn, view);
  } else {
    drawThoughts(partsOf.get(entry), turn, view);
  }
}

export const toolKey = (turnId, toolCallId) => `${turnId}/${toolCallId}`;

function drawToolInside(row, tool, turn, view) {
  const { inside } = partsOf.get(row);
  const isExpanded = view.expanded.has(toolKey(turn.turnId, tool.toolCallId));
  const whole = view.whole.get(tool.eventId);
  const details = { ...tool.details, ...whole?.details };
  const pieces = [];
  let hasMore = tool.truncated && tool.eventId !== null && !whole;
  for (const [name, value] of Object.entries(details)) {
    if (IN_ITS_LINE.has(name) || isNothing(value)) continue;
    const text = detailText(name, value);
    const isCut = !isExpanded && text.length > SHOWN_DETAIL_CHARS;
    hasMore ||= isCut;
    pieces.push(piece("p", "tool-label", detailLabel(name)));
    pieces.push(piece("pre", "tool-text", isCut ? `${text.slice(0, SHOWN_DETAIL_CHARS)}…` : text));
  }
  if (details.truncated) pieces.push(piece("p", "tool-label", gettext("GroupX kept only a part of this.")));
  if (pieces.length === 0 && !hasMore) pieces.push(piece("p", "tool-label", gettext("The agent told no details.")));
  if (hasMore) {
    const button = piece("button", "quiet-button", gettext("Show whole"));
    button.type = "button";
    button.dataset.action = "show-tool";
    button.dataset.eventId = tool.truncated && tool.eventId ? tool.eventId : "";
    pieces.push(button);
  }
  inside.replaceChildren(...pieces);
}

function detailLabel(name) {
  return {
    input: gettext("Input"),
    output: gettext("Output"),
    exitCode: gettext("Exit code"),
    diff: gettext("Changes"),
    locations: gettext("Files"),
  }[name] ?? name;
}
