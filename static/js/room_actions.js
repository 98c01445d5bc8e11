/* What the buttons in the log and on the agents' cards do. */

import * as api from "./api.js";
import { quoteWords, toolKey } from "./cards.js";
import { isBusy, setBusy } from "./elements.js";
import { createOnce } from "./once.js";
import { findMessage } from "./timeline_rows.js";

/* Refusals of a message that no second try changes. */
const NEVER_SENT = new Set(["UNKNOWN_TARGET", "UNKNOWN_ACTOR", "SUPERVISION_PAIR_INVALID", "SUPERVISION_STEER_REQUIRED", "MESSAGE_TOO_LARGE"]);
const REVOKE_MS = 60_000; // the browser has begun to read the file by then

/* view: see cards.drawRow; logView, composer: as created; onCancelling(turnId): a cancel was accepted;
   onPin(message): a message with its whole content is to be remembered;
   onTrouble(error): the room refused, or did not answer; onAccepted(): it took a command; goToTurn(turnId): show it in the
   log; showGiven(turn): show what its agent was given. */
export function createRoomActions({ view, logView, composer, onCancelling, onPin, onTrouble, onAccepted, goToTurn, showGiven }) {
  const once = createOnce();

  /* One command of a button: whether the room took it. A second press after no answer repeats the first. */
  async function command(key, button, call, onRefused = () => {}) {
    setBusy(button, true);
    try {
      await once(key, call);
      onAccepted();
      return true;
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      onTrouble(error);
      onRefused(error);
      return false;
    } finally {
      setBusy(button, false);
    }
  }

  async function loadWhole(eventId) {
    if (view.whole.has(eventId)) return;
    const envelope = await api.event(eventId);
    view.whole.set(eventId, envelope.body);
  }

  /* The text of an event as a file, without a copy of it in the page. */
  async function download(button) {
    const { eventId } = button.dataset;
    const body = view.whole.get(eventId) ?? (await api.event(eventId)).body;
    const address = URL.createObjectURL(new Blob([body.content ?? body.partialText], { type: "text/plain;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${eventId}.txt`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), REVOKE_MS);
  }

  async function showWhole(button, entry) {
    await loadWhole(button.dataset.eventId);
    logView.redraw(rowKey(entry));
  }

  /* Agents that were stopped go on, with the message that waits or without it. */
  async function grant(button, entry, withoutMessage) {
    const { eventId } = entry.dataset;
    const { rootCorrelationId, body } = view.state.notices.get(eventId);
    const asked = { rootCorrelationId, limit: body.limit, stoppedEventId: eventId, withoutMessage };
    const onRefused = ({ code }) => {
      if (!NEVER_SENT.has(code)) return;
      view.unsendable.add(eventId);
      logView.redraw(`n:${eventId}`);
      entry.scrollIntoView({ block: "nearest" }); // the banner has made the log smaller
    };
    const key = `grant ${eventId} ${withoutMessage}`;
    if (await command(key, button, (id) => api.grantLimit(asked, id), onRefused)) entry.focus(); // the button goes
  }

  const agentOf = ({ dataset }) => ({ actorId: view.state.turns.get(dataset.turnId).targetActorId });

  return {
    async cancel(button, entry) {
      const { turnId } = entry.dataset;
      if (await command(`cancel ${turnId}`, button, (id) => api.cancelTurn(turnId, id))) onCancelling(turnId);
    },
    async retry(button, entry) {
      const { turnId } = entry.dataset;
      await command(`retry ${turnId}`, button, (id) => api.retryTurn(turnId, id));
    },
    async restart(button) {
      const { actorId } = button.closest("[data-actor-id]").dataset;
      await command(`restart ${actorId}`, button, (id) => api.restartAgent(actorId, id));
    },
    async resume(button) {
      const { actorId } = button.closest("[data-actor-id]").dataset;
      await command(`resume ${actorId}`, button, (id) => api.resumeAgent(actorId, id));
    },
    async fresh(button, entry) {
      const { actorId } = entry ? agentOf(entry) : button.closest("[data-actor-id]").dataset;
      await command(`fresh ${actorId}`, button, (id) => api.beginFreshSession(actorId, id));
    },
    reply(button, entry) {
      const message = findMessage(view.state, entry.dataset.eventId);
      if (message) composer.replyTo(message, quoteWords(message));
    },
    async pin(button, entry) {
      const message = findMessage(view.state, entry.dataset.eventId);
      if (!message) return;
      if (message.truncated) await loadWhole(message.eventId);
      onPin({ ...message, content: view.whole.get(message.eventId)?.content ?? message.content, words: quoteWords(message) });
    },
    async "show-quoted"(button, entry) {
      const { eventId } = button.dataset;
      if (logView.show(eventId) || view.quoted.has(eventId)) return;
      const { actor, body } = await api.event(eventId);
      view.quoted.set(eventId, { actor, content: body.content ?? "" });
      logView.redraw(rowKey(entry));
    },
    "show-all": showWhole,
    download,
    "show-thoughts": showWhole,
    async "show-tool"(button, entry) {
      const fold = button.closest("[data-tool-call-id]");
      if (button.dataset.eventId) await loadWhole(button.dataset.eventId);
      view.expanded.add(toolKey(entry.dataset.turnId, fold.dataset.toolCallId));
      logView.redrawFold(entry, fold);
    },
    async admin() {
      const { path } = await api.signInLink();
      location.assign(path);
    },
    "show-turn": (button) => goToTurn(button.dataset.turnId),
    "show-given": (button, entry) => showGiven(view.state.turns.get(entry.dataset.turnId)),
    grant: (button, entry) => grant(button, entry, false),
    "grant-without": (button, entry) => grant(button, entry, true),
    "to-end": () => logView.toEnd(),
  };
}

/* Let each `data-action` inside `page` do what it says: actions[name](button, the entry it stands in). */
export function listen(page, actions, onTrouble) {
  page.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-action]");
    const action = button && actions[button.dataset.action];
    if (!action || isBusy(button)) return;
    try {
      await action(button, button.closest("[data-kind]:not([data-tool-call-id])"));
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      onTrouble(error);
    }
  });
}

const KEY_OF = {
  turn: ({ turnId }) => `t:${turnId}`,
  message: ({ eventId }) => `m:${eventId}`,
  dispatch: ({ eventId }) => `n:${eventId}`,
};

const rowKey = ({ dataset }) => KEY_OF[dataset.kind](dataset);
