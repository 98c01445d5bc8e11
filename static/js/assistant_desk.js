/* The side conversation with the assistant: what is known of it, and asking. Knows no element of the page. */

import * as api from "./api.js";
import { createAssistantLink } from "./assistant_link.js";
import { NO_TALK, askedAgain, isOpenRow, isUnderWay, livesOf, rows, withAbout, withEvent, withItems, withLives } from "./assistant_talk.js";
import { createUnsent } from "./assistant_unsent.js";
import { createRetryLater } from "./retry_later.js";

/* onChange(): something is known anew; onRefused(content, problem): the room does not take a question, so its text goes
   back to its writer; onTrouble(problem): a button could not do what it says. */
export function createAssistantDesk({ onChange, onRefused, onTrouble }) {
  const unsent = createUnsent(localStorage);
  const retry = createRetryLater(sendUnsent);
  const posting = new Map(); // clientCommandId -> what ends the wait for its answer
  let talk = NO_TALK;
  let isShown = false;
  let isConnected = false;
  let isLoaded = false;
  const link = createAssistantLink({
    lives: () => livesOf(talk),
    onJoined: (lives) => change(withLives(talk, lives)),
    onEvent: (event) => change(withEvent(talk, event)),
    onOpen: load,
    onState(isOpen) {
      isConnected = isOpen;
      onChange();
    },
  });

  const isAtWork = () => talk.about?.activeClientCommandId !== undefined;

  function change(now) {
    const before = talk;
    talk = now;
    for (const [clientCommandId, question] of talk.questions) {
      if (question === before.questions.get(clientCommandId)) continue;
      unsent.drop(clientCommandId);
      if (isOpenRow(question) && isAtWork()) posting.get(clientCommandId)?.abort(); // it is seen to, and the stream tells the rest
    }
    listen();
    onChange();
  }

  async function load() {
    try {
      const [about, { items }] = await Promise.all([api.assistant(), api.assistantMessages()]);
      isLoaded = true;
      change(withItems(withAbout(talk, about), items));
      sendUnsent();
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error; // it is asked for again when the stream is back
    }
  }

  /* The stream is open while somebody looks, or waits for an answer. */
  function listen() {
    link.want(isShown || unsent.all().length > 0 || isUnderWay(talk));
  }

  async function post(question) {
    const { clientCommandId } = question;
    if (posting.has(clientCommandId)) return;
    const wait = new AbortController();
    posting.set(clientCommandId, wait);
    try {
      const { question: asked, reply } = await api.askAssistant(question, wait.signal);
      retry.over();
      change(withItems(talk, [asked, reply]));
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      if (!wait.signal.aborted) await failed(question, error);
    } finally {
      posting.delete(clientCommandId);
      onChange();
    }
  }

  /* Of what has arrived the conversation itself tells; what may not have is sent again with the same id. */
  async function failed(question, error) {
    await load();
    const isKnown = talk.questions.has(question.clientCommandId);
    if (isKnown && error.code === null) onTrouble(error.message);
    if (isKnown) return;
    if (error.isUncertain) {
      retry.later();
      return;
    }
    giveBack(question, error.code ? interpolate(gettext("%s (%s)"), [error.message, error.code]) : error.message);
  }

  function giveBack({ clientCommandId, content }, problem) {
    unsent.drop(clientCommandId);
    listen();
    onRefused(content, problem);
  }

  function sendUnsent() {
    unsent.all().filter(({ clientCommandId }) => !talk.questions.has(clientCommandId)).forEach(post);
  }

  return {
    about: () => talk.about,
    isConnected: () => isConnected,
    isLoaded: () => isLoaded,
    isUnderWay: () => isUnderWay(talk),
    rows: () => rows(talk, unsent.all().map((question) => ({ ...question, isSending: posting.has(question.clientCommandId) }))),
    draft: unsent.draft,
    keepDraft: unsent.keepDraft,
    sendUnsent,

    /* Whether the conversation stands in sight. */
    look(isInSight) {
      isShown = isInSight;
      listen();
    },

    ask(content) {
      const question = { clientCommandId: api.newCommandId(), content };
      unsent.add(question);
      listen();
      post(question);
      onChange();
    },

    askAgain(clientCommandId) {
      const { content } = talk.questions.get(clientCommandId);
      change(askedAgain(talk, clientCommandId));
      post({ clientCommandId, content });
    },

    takeBack(clientCommandId) {
      const question = unsent.all().find((kept) => kept.clientCommandId === clientCommandId);
      if (question) giveBack(question, "");
    },

    async stop(clientCommandId) {
      try {
        await api.stopAssistant(clientCommandId);
      } catch (error) {
        if (!(error instanceof api.ApiError)) throw error;
        onTrouble(error.message);
      }
    },
  };
}
