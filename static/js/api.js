/* The room's REST interface. Every function resolves to the answer's JSON or throws an ApiError. */

import { sentenceWords } from "./words.js";

const TIMEOUT_MS = 20_000;
const ANSWER_TIMEOUT_MS = 4 * 3_600_000; // as long as a turn may take
const COMPACTION_TIMEOUT_MS = 3 * 3_600_000; // agents write for as long as they need; each step of it is bounded by the room
const TRIAL_TIMEOUT_MS = 150_000; // longer than the server lets it take

export class ApiError extends Error {
  /* `message` is in the reader's language. `code` is the server's, or null when no answer came: then nobody knows whether the command arrived. */
  constructor(message, { code = null, status = 0, details = {} } = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.details = details;
  }

  get isUncertain() {
    return this.status === 0 || this.status === 503 || this.status >= 502;
  }
}

export const bootstrap = () => get("/api/bootstrap");
export const history = (beforeSeq, limit) => get(`/api/history?beforeSeq=${beforeSeq}&limit=${limit}`);
export const event = (eventId) => get(`/api/events/${encodeURIComponent(eventId)}`);
export const sendMessage = (message) => post("/api/messages", message);
/* asked: {to, content, replyToEventId?}. What each of them would be given now: {agents: [{actorId, text, …}]}. */
export const preview = (asked) => post("/api/preview", asked);
export const turnPacket = (turnId) => get(`/api/turns/${encodeURIComponent(turnId)}/packet`);
export const cancelTurn = (turnId, clientCommandId) =>
  post(`/api/turns/${encodeURIComponent(turnId)}/cancel`, { clientCommandId });
export const retryTurn = (turnId, clientCommandId) =>
  post(`/api/turns/${encodeURIComponent(turnId)}/retry`, { clientCommandId });
export const resumeAgent = (actorId, clientCommandId) =>
  post(`/api/agents/${encodeURIComponent(actorId)}/resume`, { clientCommandId });
export const beginFreshSession = (actorId, clientCommandId) =>
  post(`/api/agents/${encodeURIComponent(actorId)}/fresh-session`, { clientCommandId });
/* asked: {rootCorrelationId, limit, stoppedEventId, withoutMessage} */
export const grantLimit = (asked, clientCommandId) => post("/api/limits/grant", { clientCommandId, ...asked });
export const restartAgent = (actorId, clientCommandId) =>
  post(`/api/agents/${encodeURIComponent(actorId)}/restart`, { clientCommandId });

/* asked: what GET /api/memory takes; without values where they are undefined. */
export const memories = (asked) => get(`/api/memory?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== undefined))}`);
export const memory = (memoryId) => get(`/api/memory/${encodeURIComponent(memoryId)}`);
/* record: {scope, agentMemoryType?, kind, content, sourceEventId?}; revision: {kind, content} */
export const remember = (record, clientCommandId) => post("/api/memory", { clientCommandId, ...record });
export const supersedeMemory = (memoryId, revision, clientCommandId) =>
  post(`/api/memory/${encodeURIComponent(memoryId)}/supersede`, { clientCommandId, ...revision });
export const retractMemory = (memoryId, clientCommandId) =>
  post(`/api/memory/${encodeURIComponent(memoryId)}/retract`, { clientCommandId });

export const contextUsage = () => get("/api/context");
export const resetContext = (clientCommandId) => post("/api/context/reset", { clientCommandId });
/* Answered when it is done: minutes later. */
export const compactContext = (clientCommandId) =>
  post("/api/context/compact", { clientCommandId }, { timeoutMs: COMPACTION_TIMEOUT_MS });

/* The assistant and the side conversation with it. */
export const assistant = () => get("/api/assistant");
export const assistantMessages = () => get("/api/assistant/messages");
/* question: {clientCommandId, content}. Answered with {question, reply} when the reply is there: minutes later. The
   question stays asked when nobody waits for that any more. */
export const askAssistant = (question, signal) => post("/api/assistant/messages", question, { timeoutMs: ANSWER_TIMEOUT_MS, signal });
export const stopAssistant = (clientCommandId) => post("/api/assistant/cancel", { clientCommandId });

/* The setup: what there is to set up, and a draft of the configuration that is checked, tried and saved. */
export const setup = () => get("/api/setup");
export const saveSetup = (config) => post("/api/setup", { config });
export const checkSetup = (config, signal) => post("/api/setup/check", { config }, { signal });
/* Answered when the agent has: {ok, tookMs, answer?, version?, errorCode?, message?, hint?}. Aborted, it is ended. */
export const tryAgent = (agent, signal) => post("/api/setup/test", { agent }, { timeoutMs: TRIAL_TIMEOUT_MS, signal });
export const setupLaunch = () => get("/api/setup/launch");
export const pendingChanges = () => get("/api/setup/pending");

export const health = () => get("/api/health");
export const restartRuntime = (runtimeScopeKey) => post("/api/runtime/restart", { runtimeScopeKey });

/* Rooms of the file bus; `url` is that of the room. */
export const busRoom = (url) => get(url);
export const busMessages = (url, beforeSeq, limit) => get(`${url}/messages?beforeSeq=${beforeSeq}&limit=${limit}`);
export const busMessage = (url, seq) => get(`${url}/messages/${seq}`);
export const writeToBus = (url, message) => post(`${url}/messages`, message);
export const wakeMember = (url, member) => post(`${url}/members/${encodeURIComponent(member)}/wake`, {});
export const switchSelfDrive = (url, isOn) => post(`${url}/self-drive`, { isOn });

/* The address of a link that signs in to the admin, once: {path, expiresInSeconds}. */
export const signInLink = () => post("/api/admin/sign-in", {});

export async function fragment(url) {
  const response = await reach(url, {});
  return response.text();
}

export function newCommandId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `web-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

async function get(url) {
  return (await reach(url, {})).json();
}

async function post(url, body, patience) {
  const response = await reach(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }, patience);
  return response.json();
}

/* signal: who does not want to wait any longer aborts it; that is an answer that never came. */
async function reach(url, options, { timeoutMs = TIMEOUT_MS, signal } = {}) {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response;
  try {
    response = await fetch(url, { cache: "no-store", signal: signal ? AbortSignal.any([timeout, signal]) : timeout, ...options });
  } catch {
    throw new ApiError(gettext("GroupX did not answer. Is it still running?"));
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => null);
  const said = problem?.error?.message;
  throw new ApiError(said ? sentenceWords(said) : gettext("GroupX answered with an error."), {
    code: problem?.error?.code ?? null,
    status: response.status,
    details: problem?.error?.details,
  });
}
