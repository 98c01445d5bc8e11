/* The room's page: what is wired to what. The only module with effects of its own. */

import * as api from "./api.js";
import { createAssistant } from "./assistant.js";
import { createComposer } from "./composer.js";
import { createContextGauge } from "./context_gauge.js";
import { backoffMs, openStream } from "./event_stream.js";
import { createGivenContext } from "./given_context.js";
import { createLogView, topWords } from "./log_view.js";
import { createMemories } from "./memories.js";
import { inNames } from "./named_text.js";
import { createPageFrame } from "./page_frame.js";
import { createPendingChanges } from "./pending_changes.js";
import { createRoomActions, listen } from "./room_actions.js";
import { createRoster } from "./roster.js";
import { shareStream } from "./shared_stream.js";
import { foldAll, fromSnapshot, livesOf, markCancelling, withLives } from "./timeline.js";
import { createUnseen } from "./unseen.js";
import { authorWords, productWords } from "./words.js";

const HISTORY_LIMIT = 100;
const MISSED_LIMIT = 1_000; // a tab that missed more starts from a snapshot
const HIDDEN_FRAME_MS = 500; // a tab out of sight gets no animation frames

const page = document.body;
const part = (name) => document.querySelector(`[data-part="${name}"]`);

let timeline = null;
let room = null; // the bootstrap's answer
let lastSeq = 0; // of what arrived, folded or not
let arrived = []; // envelopes waiting for the next frame
let isFrameDue = false;
let entry = 0; // the newest attempt to enter; older ones give way
let loadingOlder = null; // a promise while the room's answer is awaited
let hasOlder = false;
const drivers = new Map();

const view = {
  state: null,
  everyone: new Set(),
  whole: new Map(),
  quoted: new Map(),
  expanded: new Set(),
  unsendable: new Set(),
  colourOf: (actorId) => roster.colourOf(actorId),
  productOf: (actorId) => productWords(drivers.get(actorId), timeline.products.get(actorId), timeline.names.get(actorId)),
};

const enabledAgents = () => (room?.agents ?? []).filter(({ enabled }) => enabled);
const byName = (sentence) => inNames(sentence, timeline?.names ?? new Map());

const roster = createRoster({
  list: part("cards"),
  empty: document.querySelector(".roster-empty"),
  cardsUrl: page.dataset.cardsUrl,
  cardsStreamUrl: page.dataset.cardsStreamUrl,
});
const logView = createLogView({
  log: part("log"),
  topLine: part("log-top"),
  entries: part("entries"),
  view,
  onNearTop: loadOlder,
  onMoved: () => unseen.draw(),
});
const unseen = createUnseen({ button: part("new-messages"), isAtEnd: logView.isAtEnd });
const composer = createComposer({
  form: part("composer"),
  draftKey: "groupx.draft",
  colourOf: view.colourOf,
  inNames: byName,
  onSent: () => logView.toEnd(),
  onPreview: (asked) => given.preview(asked),
});
const given = createGivenContext({ dialog: part("packet"), view, maxCharacters: () => room.limits.contextCharacters });
const memories = createMemories({
  section: part("room-memory"),
  dialog: part("agent-memory"),
  people: {
    nameOf: (actorId) => authorWords({ actorId, displayName: timeline?.names.get(actorId) ?? actorId }),
    colourOf: view.colourOf,
  },
  openerOf: (actorId) => page.querySelector(`[data-actor-id="${CSS.escape(actorId)}"] [data-action="memory"]`),
});
const gauge = createContextGauge({
  part,
  nameOf: (actorId) => timeline.names.get(actorId) ?? actorId,
  agents: enabledAgents,
});
const assistant = createAssistant({
  page,
  drawer: part("assistant"),
  button: page.querySelector('[data-action="assistant"]'),
  behind: [page.querySelector(".room"), part("roster")],
  agents: () => enabledAgents().map(({ displayName }) => displayName),
});
const frame = createPageFrame({
  page,
  part,
  onConnected() {
    composer.retryUncertain();
    assistant.retryUncertain();
    memories.goOn();
    gauge.changed();
    pending.connected();
  },
  inNames: byName,
});
const pending = createPendingChanges({
  section: part("pending"),
  mark: page.querySelector(".roster-button"),
  onSettled: () => enter(), // with the agents of now
  onTrouble: frame.showTrouble,
});
const actions = createRoomActions({
  view,
  logView,
  composer,
  onCancelling(turnId) {
    timeline = markCancelling(timeline, turnId);
    render();
  },
  onPin(message) {
    frame.openRoster();
    memories.pin(message);
  },
  onTrouble: frame.showTrouble,
  onAccepted: frame.hideTrouble,
  goToTurn,
  showGiven: given.showGiven,
});
const stream = shareStream({
  name: "groupx.events",
  open: (handlers) => openStream({ url: () => `/api/events?afterSeq=${lastSeq}&epoch=${encodeURIComponent(room.epoch)}`, ...handlers }),
  position: () => lastSeq,
  snapshot() {
    foldArrived();
    return { epoch: room.epoch, seq: lastSeq, lives: livesOf(timeline) };
  },
  onEvent: ({ data }) => take(JSON.parse(data)),
  onState: frame.showLink,
  onRefused: () => setTimeout(enter, backoffMs(1), 1),
  onRejoined: catchUp,
});

/* ---------------------------------------------------------------- snapshot and stream */

async function enter(failures = 0) {
  const mine = (entry += 1);
  stream.pause();
  let given; // by the tab that reads the stream, null in that tab
  try {
    given = await stream.join();
    let snapshot;
    do snapshot = await api.bootstrap();
    while (given?.epoch === snapshot.epoch && snapshot.cursor < given.seq); // asked for before we joined
    if (given && given.epoch !== snapshot.epoch) throw new api.ApiError(""); // another log by now
    if (mine !== entry) return;
    room = snapshot;
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    if (mine !== entry) return;
    frame.showLink("waiting");
    setTimeout(enter, backoffMs(failures), failures + 1);
    return;
  }
  arrived = [];
  timeline = withLives(fromSnapshot(room), given?.lives ?? []);
  lastSeq = timeline.cursor;
  hasOlder = timeline.oldestSeq > 1;
  unseen.forget();
  view.everyone = new Set(enabledAgents().map(({ actorId }) => actorId));
  for (const { actorId, driver } of room.agents) drivers.set(actorId, driver);
  logView.clear();
  composer.setRoom(enabledAgents(), room.limits.messageCharacters);
  part("skeleton").hidden = true;
  render();
  part("log").setAttribute("aria-busy", "false");
  roster.follow();
  memories.again();
  gauge.begin();
  assistant.begin();
  stream.run();
  if (logView.isNearTop()) loadOlder();
}

function take(envelope) {
  if (envelope.type === "stream.resync") {
    stream.pause();
    setTimeout(enter, backoffMs(0), 1);
    return;
  }
  if (typeof envelope.seq === "number") lastSeq = Math.max(lastSeq, envelope.seq);
  arrived.push(envelope);
  if (isFrameDue) return;
  isFrameDue = true;
  if (document.hidden) setTimeout(foldArrived, HIDDEN_FRAME_MS);
  else requestAnimationFrame(foldArrived);
}

/* A frame asked for while in sight may never come once the tab is hidden. */
document.addEventListener("visibilitychange", () => {
  if (isFrameDue) foldArrived();
});

/* This tab has missed what another one read: the log tells it, and the other what is not in the log. */
async function catchUp({ epoch, seq, lives }) {
  foldArrived();
  const missed = [];
  try {
    for (let before = seq + 1; epoch === room.epoch && before > lastSeq + 1 && missed.length < MISSED_LIMIT;) {
      const { events } = await api.history(before, HISTORY_LIMIT);
      missed.push(...events);
      before = events.at(-1)?.seq ?? 0;
    }
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    enter();
    return;
  }
  if (epoch !== room.epoch || missed.length >= MISSED_LIMIT) {
    enter();
    return;
  }
  lastSeq = Math.max(lastSeq, seq);
  timeline = withLives(foldAll(timeline, missed.reverse()), lives);
  memories.hear(missed);
  gauge.changed();
  render();
}

function foldArrived() {
  isFrameDue = false;
  const before = timeline.cursor;
  const envelopes = arrived;
  arrived = [];
  timeline = foldAll(timeline, envelopes);
  for (const listener of [memories, gauge, pending]) listener.hear(envelopes);
  unseen.count(envelopes, before);
  render();
}

/* Whether older entries are known now. */
function loadOlder() {
  if (!hasOlder || timeline === null) return Promise.resolve(false);
  if (loadingOlder === null) {
    loadingOlder = askForOlder();
    render();
  }
  return loadingOlder;
}

async function askForOlder() {
  const asked = room;
  part("log").setAttribute("aria-busy", "true"); // old messages are no news
  try {
    const { events, nextCursor } = await api.history(timeline.oldestSeq, HISTORY_LIMIT);
    if (room === asked) { // else another snapshot came meanwhile
      timeline = foldAll(timeline, events);
      hasOlder = events.length > 0 && nextCursor !== undefined && nextCursor !== null;
    }
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    frame.showTrouble(error);
    return false;
  } finally {
    loadingOlder = null;
    render();
    part("log").setAttribute("aria-busy", "false");
  }
  if (logView.isNearTop()) loadOlder();
  return true;
}

/* Show a turn, and what came before it until it is found: whoever links to one links backwards. */
async function goToTurn(turnId) {
  while (!logView.show(turnId)) {
    if (await loadOlder()) continue;
    if (!hasOlder) frame.showTrouble(new api.ApiError(gettext("This turn is not in the room’s log.")));
    return;
  }
}

/* ---------------------------------------------------------------- what is shown */

function render() {
  const isEmpty = !hasOlder && timeline.messages.size + timeline.turns.size === 0;
  part("log-empty").hidden = !isEmpty;
  logView.render(timeline, isEmpty ? null : topWords(hasOlder, loadingOlder !== null));
  roster.render(timeline);
  unseen.draw();
}

const memory = (button) => memories.openOf(button.closest("[data-actor-id]").dataset.actorId);
listen(page, { ...actions, ...frame.actions, ...assistant.actions, memory, "restart-room": pending.restart }, frame.showTrouble);
setInterval(() => [logView, roster, gauge].forEach((shown) => shown.tick()), 1_000);
enter();
