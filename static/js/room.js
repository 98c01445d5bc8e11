/* The room's page: what is wired to what. The only module with effects of its own. */

import * as api from "./api.js";
import { quoteWords, toolKey } from "./cards.js";
import { createComposer } from "./composer.js";
import { backoffMs, openStream } from "./event_stream.js";
import { createLogView } from "./log_view.js";
import { createRoster } from "./roster.js";
import { findMessage, foldAll, fromSnapshot, markCancelling } from "./timeline.js";
import { numberWords } from "./words.js";

const HISTORY_LIMIT = 100;
const OFFLINE_AFTER_MS = 1_500; // a blink of the connection is not worth a banner
const HIDDEN_FRAME_MS = 500; // a tab out of sight gets no animation frames

const page = document.body;
const part = (name) => document.querySelector(`[data-part="${name}"]`);

let timeline = null;
let room = null; // the bootstrap's answer
let lastSeq = 0; // of what arrived, folded or not
let arrived = []; // envelopes waiting for the next frame
let isFrameDue = false;
let stream = null;
let offlineTimer = null;
let isLoadingOlder = false;
let hasOlder = false;
let unseen = 0; // messages that came while the reader was elsewhere
const commandIds = new Map(); // what a button asks for -> its clientCommandId until accepted
const drivers = new Map();

const view = {
  state: null,
  everyone: new Set(),
  whole: new Map(),
  quoted: new Map(),
  expanded: new Set(),
  colourOf: (actorId) => roster.colourOf(actorId),
  driverOf: (actorId) => drivers.get(actorId) ?? "",
};

const roster = createRoster({
  list: part("cards"),
  empty: document.querySelector(".roster-empty"),
  cardsUrl: page.dataset.cardsUrl,
  cardsStreamUrl: page.dataset.cardsStreamUrl,
});
const logView = createLogView({
  log: part("log"), entries: part("entries"), view, onNearTop: loadOlder, onMoved: showUnseen,
});
const composer = createComposer({
  form: part("composer"),
  draftKey: "groupx.draft",
  colourOf: view.colourOf,
  onSent: () => logView.toEnd(),
});

/* ---------------------------------------------------------------- snapshot and stream */

async function enter(failures = 0) {
  stream?.stop();
  stream = null;
  try {
    room = await api.bootstrap();
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    showLink("waiting");
    setTimeout(enter, backoffMs(failures), failures + 1);
    return;
  }
  arrived = [];
  timeline = fromSnapshot(room);
  lastSeq = timeline.cursor;
  hasOlder = timeline.oldestSeq > 1;
  unseen = 0;
  view.everyone = new Set(room.agents.filter(({ enabled }) => enabled).map(({ actorId }) => actorId));
  for (const { actorId, driver } of room.agents) drivers.set(actorId, driver);
  logView.clear();
  composer.setRoom(room.agents.filter(({ enabled }) => enabled), room.limits.messageCharacters);
  part("skeleton").hidden = true;
  render();
  part("log").setAttribute("aria-busy", "false");
  roster.follow();
  stream = openStream({
    url: () => `/api/events?afterSeq=${lastSeq}&epoch=${encodeURIComponent(room.epoch)}`,
    onEvent: ({ data }) => take(JSON.parse(data)),
    onState: showLink,
    onRefused: () => setTimeout(enter, backoffMs(1), 1),
  });
  if (logView.isNearTop()) loadOlder();
}

function take(envelope) {
  if (envelope.type === "stream.resync") {
    stream.stop();
    setTimeout(enter, backoffMs(0), 1);
    return;
  }
  if (typeof envelope.seq === "number") lastSeq = Math.max(lastSeq, envelope.seq);
  arrived.push(envelope);
  if (isFrameDue) return;
  isFrameDue = true;
  if (document.hidden) setTimeout(frame, HIDDEN_FRAME_MS);
  else requestAnimationFrame(frame);
}

/* A frame asked for while in sight may never come once the tab is hidden. */
document.addEventListener("visibilitychange", () => {
  if (isFrameDue) frame();
});

function frame() {
  isFrameDue = false;
  const before = timeline.cursor;
  const envelopes = arrived;
  arrived = [];
  timeline = foldAll(timeline, envelopes);
  if (!logView.isAtEnd()) {
    unseen += envelopes.filter(({ type, seq }) => type === "message.created" && seq > before).length;
  }
  render();
}

function render() {
  logView.render(timeline);
  roster.render(timeline);
  part("empty").hidden = hasOlder || timeline.messages.size + timeline.turns.size + timeline.notices.size > 0;
  const top = part("log-top");
  top.hidden = !part("empty").hidden;
  top.textContent = hasOlder ? (isLoadingOlder ? gettext("Loading older messages…") : "") : gettext("The room begins here.");
  showUnseen();
}

async function loadOlder() {
  if (isLoadingOlder || !hasOlder || timeline === null) return;
  isLoadingOlder = true;
  const asked = timeline;
  part("log").setAttribute("aria-busy", "true"); // old messages are no news
  render();
  try {
    const { events, nextCursor } = await api.history(timeline.oldestSeq, HISTORY_LIMIT);
    if (timeline.names === null || asked.oldestSeq !== timeline.oldestSeq) return; // another snapshot came meanwhile
    timeline = foldAll(timeline, events);
    hasOlder = events.length > 0 && nextCursor !== undefined && nextCursor !== null;
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    showTrouble(error);
    return;
  } finally {
    isLoadingOlder = false;
    render();
    part("log").setAttribute("aria-busy", "false");
  }
  if (logView.isNearTop()) loadOlder();
}

/* ---------------------------------------------------------------- the connection, told */

function showLink(state) {
  const isOpen = state === "open";
  part("link-dot").dataset.tone = isOpen ? "ok" : "warn";
  const words = isOpen ? gettext("Connected") : gettext("Reconnecting");
  if (part("link-words").textContent !== words) part("link-words").textContent = words;
  if (isOpen) {
    clearTimeout(offlineTimer);
    offlineTimer = null;
    part("offline").hidden = true;
    composer.retryUncertain();
  } else {
    offlineTimer ??= setTimeout(() => {
      part("offline").textContent = gettext("GroupX does not answer. This page connects again by itself; what you write stays here.");
      part("offline").hidden = false;
    }, OFFLINE_AFTER_MS);
  }
}

function showUnseen() {
  if (logView.isAtEnd()) unseen = 0;
  const button = part("new-messages");
  button.hidden = logView.isAtEnd();
  if (button.hidden) return;
  button.textContent = unseen === 0
    ? gettext("To the newest messages")
    : interpolate(ngettext("%s new message", "%s new messages", unseen), [numberWords(unseen)]);
}

function showTrouble(error) {
  part("trouble").hidden = false;
  part("trouble-words").textContent = error.message;
  part("trouble-code").textContent = error.code ?? "";
}

/* ---------------------------------------------------------------- what buttons do */

/* One command of a button. Its id stays until the room has answered, so that a second press repeats the first. */
async function command(key, button, call) {
  const clientCommandId = commandIds.get(key) ?? api.newCommandId();
  commandIds.set(key, clientCommandId);
  button.disabled = true;
  try {
    await call(clientCommandId);
    commandIds.delete(key);
    return true;
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    if (!error.isUncertain) commandIds.delete(key);
    showTrouble(error);
    return false;
  } finally {
    button.disabled = false;
  }
}

async function loadWhole(eventId) {
  if (view.whole.has(eventId)) return;
  const envelope = await api.event(eventId);
  view.whole.set(eventId, envelope.body);
}

const actions = {
  async cancel(button, entry) {
    const { turnId } = entry.dataset;
    const isAccepted = await command(`cancel ${turnId}`, button, (id) => api.cancelTurn(turnId, id));
    if (!isAccepted) return;
    timeline = markCancelling(timeline, turnId);
    render();
  },
  async retry(button, entry) {
    const { turnId } = entry.dataset;
    await command(`retry ${turnId}`, button, (id) => api.retryTurn(turnId, id));
  },
  async restart(button) {
    const { actorId } = button.closest("[data-actor-id]").dataset;
    await command(`restart ${actorId}`, button, (id) => api.restartAgent(actorId, id));
  },
  reply(button, entry) {
    const message = findMessage(timeline, entry.dataset.eventId);
    if (message) composer.replyTo(message, quoteWords(message));
  },
  async "show-quoted"(button, entry) {
    const { eventId } = button.dataset;
    if (logView.show(eventId) || view.quoted.has(eventId)) return;
    const { actor, body } = await api.event(eventId);
    view.quoted.set(eventId, { actor, content: body.content ?? "" });
    logView.redraw(rowKey(entry));
  },
  async "show-all"(button, entry) {
    await loadWhole(button.dataset.eventId);
    logView.redraw(rowKey(entry));
  },
  async "show-thoughts"(button, entry) {
    await loadWhole(button.dataset.eventId);
    logView.redraw(rowKey(entry));
  },
  async "show-tool"(button, entry) {
    const fold = button.closest("[data-tool-call-id]");
    if (button.dataset.eventId) await loadWhole(button.dataset.eventId);
    view.expanded.add(toolKey(entry.dataset.turnId, fold.dataset.toolCallId));
    logView.redrawFold(entry, fold);
  },
  "to-end"() {
    logView.toEnd();
    showUnseen();
  },
  "dismiss-trouble"() {
    part("trouble").hidden = true;
  },
  theme() {
    const root = document.documentElement;
    const next = { undefined: "light", light: "dark", dark: undefined }[root.dataset.theme];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try {
      localStorage.setItem("groupx.theme", next ?? "auto");
    } catch {
      // chosen for this page only
    }
    showTheme();
  },
  roster: () => showRoster(page.dataset.roster !== "open"),
};

const rowKey = ({ dataset }) => (dataset.kind === "turn" ? `t:${dataset.turnId}` : `m:${dataset.eventId}`);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-action]");
  const isInRoster = event.target.closest(".roster, .roster-button");
  if (!isInRoster) showRoster(false);
  const action = button && actions[button.dataset.action];
  if (!action) return;
  try {
    await action(button, button.closest("[data-kind]:not([data-tool-call-id])"));
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    showTrouble(error);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && page.dataset.roster === "open") {
    showRoster(false);
    document.querySelector(".roster-button").focus();
  }
});

function showRoster(isOpen) {
  page.dataset.roster = isOpen ? "open" : "closed";
  document.querySelector(".roster-button").setAttribute("aria-expanded", String(isOpen));
}

function showTheme() {
  const button = document.querySelector('[data-action="theme"]');
  const theme = document.documentElement.dataset.theme;
  button.textContent = { light: button.dataset.wordsLight, dark: button.dataset.wordsDark }[theme] ?? button.dataset.wordsAuto;
}

setInterval(() => logView.tick(), 1_000);
showTheme();
enter();
