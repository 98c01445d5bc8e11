/* The side conversation with the assistant as a page knows it: a pure fold. No DOM, no network, no clock.

   Each function gives a new value and leaves the old one as it was. What the server has kept comes as items (one for a
   question, one for its answer), from the list, a stream or an answer, in any order and more than once. What streams is
   only ever in `lives`. */

const OPEN = new Set(["waiting", "running"]);

export const NO_TALK = Object.freeze({
  about: null, // the server's answer: {configured, name, status, statusText, …}
  questions: new Map(), // clientCommandId -> item
  answers: new Map(), // clientCommandId -> item
  lives: new Map(), // clientCommandId -> {text, chunkIndex, isCut, activity}
});

const NO_LIVE = Object.freeze({ text: "", chunkIndex: -1, isCut: false, activity: "" });

export function withAbout(talk, about) {
  return { ...talk, about };
}

export function withItems(talk, items) {
  const questions = new Map(talk.questions);
  const answers = new Map(talk.answers);
  const lives = new Map(talk.lives);
  for (const item of items) {
    const id = item.clientCommandId;
    if (item.role === "user") questions.set(id, item);
    else answers.set(id, item);
    if (answers.has(id)) lives.delete(id);
  }
  return { ...talk, questions, answers, lives };
}

/* An item of the stream or what grows: {type, data}. */
export function withEvent(talk, { type, data }) {
  if (type === "assistant.state") return withAbout(talk, data);
  if (type === "assistant.message") return withItems(talk, [data.item]);
  if (talk.answers.has(data.clientCommandId)) return talk; // late: the whole answer is there
  const live = talk.lives.get(data.clientCommandId) ?? NO_LIVE;
  const changed = LIVE[type]?.(live, data) ?? live;
  return changed === live ? talk : { ...talk, lives: new Map(talk.lives).set(data.clientCommandId, changed) };
}

/* Chunks come in order; one already merged is dropped; `replace` is the text so far, of a run that may be another one. */
const LIVE = {
  "assistant.delta"(live, { chunkIndex, text, replace = false, truncated: isCut = false }) {
    if (!replace && chunkIndex <= live.chunkIndex) return live;
    return { text: replace ? text : live.text + text, chunkIndex, isCut, activity: "" };
  },
  "assistant.activity": (live, { text }) => ({ ...live, activity: text }),
};

/* For a tab that comes late and hears through this one. */
export function livesOf(talk) {
  return [...talk.lives];
}

export function withLives(talk, lives) {
  return { ...talk, lives: new Map(lives.filter(([id]) => !talk.answers.has(id))) };
}

/* A question is asked once more: it waits again. */
export function askedAgain(talk, clientCommandId) {
  const { error, ...question } = talk.questions.get(clientCommandId);
  const lives = new Map(talk.lives);
  lives.delete(clientCommandId);
  return { ...talk, lives, questions: new Map(talk.questions).set(clientCommandId, { ...question, state: "waiting" }) };
}

export function isUnderWay(talk) {
  return [...talk.questions.values()].some(({ state }) => OPEN.has(state));
}

/* From top to bottom: {key, content, at, state, error, text, isCut, activity}. `state`: sending, unsent, waiting, running,
   answered, failed, cancelled. `unsent`: [{clientCommandId, content, isSending}] that the server is not known to have. */
export function rows(talk, unsent = []) {
  const asked = [...talk.questions.values()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  const kept = asked.map(({ clientCommandId, content, createdAt, state, error }) => {
    const answer = talk.answers.get(clientCommandId);
    const live = talk.lives.get(clientCommandId) ?? NO_LIVE;
    return {
      key: clientCommandId,
      content,
      at: createdAt,
      state: answer ? "answered" : talk.about?.activeClientCommandId === clientCommandId ? "running" : state,
      error: answer ? null : (error ?? null),
      text: answer ? answer.content : live.text,
      isCut: !answer && live.isCut,
      activity: live.activity,
    };
  });
  const waiting = unsent.filter(({ clientCommandId }) => !talk.questions.has(clientCommandId));
  return [...kept, ...waiting.map(({ clientCommandId, content, isSending }) => (
    { key: clientCommandId, content, at: null, state: isSending ? "sending" : "unsent", error: null, text: "", isCut: false, activity: "" }
  ))];
}

/* Whether the assistant works, or will, at what a question, or a row, asks. */
export const isOpenRow = ({ state }) => OPEN.has(state);
