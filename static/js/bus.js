/* The page of one room of the file bus: what is wired to what. The only module of it with effects of its own. */

import * as api from "./api.js";
import { createBusComposer } from "./bus_composer.js";
import { createBusLog, quoteWords } from "./bus_log.js";
import { createMembers } from "./bus_members.js";
import { isBusy, setBusy } from "./elements.js";
import { backoffMs, openStream } from "./event_stream.js";
import { createPageFrame } from "./page_frame.js";
import { shareStream } from "./shared_stream.js";
import { numberWords, sentenceWords } from "./words.js";

const OLDER_LIMIT = 200;

const page = document.body;
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const { apiUrl, streamUrl, room } = page.dataset;

let lastSeq = 0;
let unseen = 0; // messages that came while the reader was elsewhere
let entry = 0; // the newest attempt to enter; older ones give way
let isSwitching = false;

const log = createBusLog({ log: part("log"), entries: part("entries"), onMoved: showUnseen });
const members = createMembers({ list: part("members"), none: part("no-members") });
const composer = createBusComposer({
  form: part("composer"),
  apiUrl,
  draftKey: `groupx.bus.${room}`,
  onSent: () => log.toEnd(),
});
const frame = createPageFrame({ page, part, onConnected: () => composer.retryUncertain() });
const stream = shareStream({
  name: `groupx.bus.${room}`,
  open: (handlers) => openStream({ url: () => `${streamUrl}?afterSeq=${lastSeq}`, ...handlers }),
  position: () => lastSeq,
  snapshot: () => ({ seq: lastSeq }),
  onEvent: take,
  onState: frame.showLink,
  onRefused: () => setTimeout(enter, backoffMs(1), 1),
  onRejoined: refresh,
});

/* ---------------------------------------------------------------- snapshot and stream */

async function enter(failures = 0) {
  const mine = (entry += 1);
  stream.pause();
  try {
    await stream.join();
    const snapshot = await api.busRoom(apiUrl);
    if (mine !== entry) return;
    log.clear();
    unseen = 0;
    lastSeq = 0;
    takeSnapshot(snapshot);
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    if (mine !== entry) return;
    frame.showLink("waiting");
    setTimeout(enter, backoffMs(failures), failures + 1);
    return;
  }
  part("skeleton").hidden = true;
  part("log").setAttribute("aria-busy", "false");
  log.toEnd();
  stream.run();
}

/* What may have been missed: nothing that is shown goes away. */
async function refresh() {
  try {
    takeSnapshot(await api.busRoom(apiUrl));
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error; // no answer: the stream comes back and asks again
  }
}

function takeSnapshot(snapshot) {
  if (snapshot.messages.length > 0 && lastSeq > 0 && snapshot.messages[0].seq > lastSeq + 1) log.clear(); // a gap
  takeState(snapshot); // first: it tells the colours
  log.add(snapshot.messages);
  lastSeq = Math.max(lastSeq, snapshot.lastSeq);
  part("older").hidden = !(snapshot.hasOlder && log.oldestSeq === snapshot.messages[0]?.seq);
  part("empty").hidden = !log.isEmpty();
}

function take({ type, data }) {
  if (type === "message") takeMessage(JSON.parse(data));
  else if (type === "state") takeState(JSON.parse(data));
  else if (type === "stream-open") refresh();
  else if (type === "stream-reset") enter();
}

function takeMessage(message) {
  lastSeq = Math.max(lastSeq, message.seq);
  const wasAtEnd = log.isAtEnd;
  if (log.add([message]) > 0 && !wasAtEnd) unseen += 1;
  part("empty").hidden = true;
  showUnseen();
}

function takeState(state) {
  members.render(state.members);
  composer.setRoom(state);
  part("drive").setAttribute("aria-checked", String(state.selfDrive.isOn));
  part("drive-note").hidden = !state.selfDrive.note;
  part("drive-note").textContent = state.selfDrive.note ? sentenceWords(state.selfDrive.note) : "";
}

function showUnseen() {
  if (log.isAtEnd) unseen = 0;
  const button = part("new-messages");
  button.hidden = unseen === 0;
  if (unseen > 0) button.textContent = interpolate(ngettext("%s new message", "%s new messages", unseen), [numberWords(unseen)]);
}

/* ---------------------------------------------------------------- what a person does */

const actions = {
  ...frame.actions,
  "to-end": () => log.toEnd(),

  async older() {
    const found = await api.busMessages(apiUrl, log.oldestSeq, OLDER_LIMIT);
    log.add(found.messages);
    part("older").hidden = !found.hasOlder;
  },

  async wake(button) {
    setBusy(button, true); // the room's state tells how it goes on
    try {
      await api.wakeMember(apiUrl, button.closest("[data-member]").dataset.member);
    } catch (error) {
      setBusy(button, false);
      throw error;
    }
  },

  async drive(button) {
    if (isSwitching) return;
    isSwitching = true;
    try {
      takeState(await api.switchSelfDrive(apiUrl, button.getAttribute("aria-checked") !== "true"));
    } finally {
      isSwitching = false;
    }
  },

  reply(button) {
    const message = log.message(Number(button.closest("[data-seq]").dataset.seq));
    composer.replyTo(message, quoteWords(message));
  },

  "show-quoted": (button) => log.show(Number(button.dataset.seq)),

  async "show-all"(button) {
    log.showWhole(await api.busMessage(apiUrl, button.closest("[data-seq]").dataset.seq));
  },
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-action]");
  const act = button && actions[button.dataset.action];
  if (!act || isBusy(button)) return;
  try {
    await act(button);
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    frame.showTrouble(error);
  }
});

enter();
