/* How times, numbers, names and states are said to a person. `gettext` and friends are the page's script of words. */

import { memoryWords } from "./memory_words.js";
import { createSentences } from "./sentences.js";
import { isOpen } from "./timeline_turns.js";
import { toolsOf } from "./timeline_rows.js";

const SHORTEST_THOUGHT_MS = 500; // below that a number says nothing
const OPEN_DRIVER = "acp"; // spoken by many products: its name says nothing about the agent

/* The page's language, in the reader's own regional variant where the browser names one. */
export function readerLocale(language, preferred) {
  const wanted = language.split("-")[0].toLowerCase();
  const variant = preferred.find((tag) => tag.split("-")[0].toLowerCase() === wanted);
  return variant ?? language;
}

const locale = readerLocale(document.documentElement.lang || "en", [...navigator.languages]);
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" });
const dayOfThisYear = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
const dayOfAnyYear = new Intl.DateTimeFormat(locale, { dateStyle: "full" });
const list = new Intl.ListFormat(locale, { type: "conjunction" });
const number = new Intl.NumberFormat(locale);
const dollars = new Intl.NumberFormat(locale, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });
const cents = new Intl.NumberFormat(locale, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", minimumFractionDigits: 4, maximumFractionDigits: 6 });
const percent = new Intl.NumberFormat(locale, { style: "percent" });
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/* A sentence of the room's own, from the log or an answer of the API. */
export const sentenceWords = createSentences(globalThis.groupxSentences ?? {});

const dayAndTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

/* Empty for what is no time. */
export const dayTimeWords = (iso) => (Number.isNaN(Date.parse(iso)) ? "" : dayAndTime.format(new Date(iso)));
export const timeWords = (iso) => clock.format(new Date(iso));
export const exactWords = (iso) => exact.format(new Date(iso));
export const listWords = (names) => list.format(names);
export const percentWords = (value) => percent.format(value / 100);
export const numberWords = (value) => number.format(value);

/* "2026-11-30", of the reader's zone */
export function dayKey(iso) {
  const date = new Date(iso);
  const two = (value) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function dayWords(iso) {
  const date = new Date(iso);
  return (date.getFullYear() === new Date().getFullYear() ? dayOfThisYear : dayOfAnyYear).format(date);
}

/* "0.3 s", "12 s", "2 min 5 s" */
export function durationWords(ms) {
  const seconds = ms / 1000;
  if (seconds < 10) return interpolate(gettext("%s s"), [tenths.format(seconds)]);
  if (seconds < 60) return interpolate(gettext("%s s"), [number.format(Math.round(seconds))]);
  const whole = Math.round(seconds);
  return interpolate(gettext("%s min %s s"), [number.format(Math.floor(whole / 60)), number.format(whole % 60)]);
}

/* "14:05", with its day where that is another one */
export function momentWords(iso) {
  const isToday = dayKey(iso) === dayKey(new Date().toISOString());
  return isToday ? timeWords(iso) : interpolate(gettext("%s, %s"), [dayWords(iso), timeWords(iso)]);
}

/* "14:05", and of another day its date, short */
export const nearMomentWords = (iso) => (dayKey(iso) === dayKey(new Date().toISOString()) ? timeWords(iso) : dayTimeWords(iso));

/* "Until 14:05, in 12 minutes." */
export function untilWords(iso, now) {
  return interpolate(gettext("Until %s, %s."), [momentWords(iso), leftWords(Date.parse(iso) - now)]);
}

function leftWords(ms) {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return ms > 0 ? gettext("in less than a minute") : gettext("any moment now");
  if (minutes < 60) return interpolate(gettext("in %s min"), [number.format(minutes)]);
  return interpolate(gettext("in %s h %s min"), [number.format(Math.floor(minutes / 60)), number.format(minutes % 60)]);
}

/* "$0.0125", "$3.20" */
export const moneyWords = (usd) => (usd >= 1 || usd === 0 ? dollars : cents).format(usd);

/* "1:24", "1:02:03" */
export function elapsedWords(ms) {
  const whole = Math.max(0, Math.floor(ms / 1000));
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/* Who somebody is to the reader. */
export function authorWords({ actorId, displayName }) {
  if (actorId === "user:web") return gettext("You");
  const isUnnamed = displayName === "Assistant" || displayName === actorId; // as configured, or not known yet
  return actorId === "user:assistant" && isUnnamed ? gettext("Assistant") : displayName;
}

export function initials(name) {
  return [...name.trim()].slice(0, 2).join("");
}

/* The product behind an agent, where its name does not say so: the driver's word, or how the agent of an open driver
   called itself. */
export function productWords(driver = "", product = "", displayName = "") {
  const word = driver === OPEN_DRIVER ? product : driver;
  return word.toLowerCase() === displayName.toLowerCase() ? "" : word;
}

/* ms: null where nobody knows. */
export function thoughtWords(ms, isThinking) {
  const isKnown = ms !== null && ms >= SHORTEST_THOUGHT_MS;
  if (!isKnown) return isThinking ? gettext("Thinking…") : gettext("Thoughts");
  return interpolate(isThinking ? gettext("Thinking for %s") : gettext("Thought for %s"), [durationWords(ms)]);
}

export function toolStateWords(tool) {
  const word = {
    pending: gettext("waiting"),
    running: gettext("running"),
    completed: gettext("done"),
    failed: gettext("failed"),
  }[tool.status] ?? tool.status;
  if (tool.durationMs === null) return word;
  // a state and how long it took
  return interpolate(gettext("%s, %s"), [word, durationWords(tool.durationMs)]);
}

/* What an open turn does now; empty while its text grows, since the text says it. */
export function activityWords(turn) {
  const { live } = turn;
  if (!isOpen(turn)) return "";
  if (live.cancelling) return gettext("Stopping…");
  if (turn.status === "queued") return gettext("Waiting in the queue");
  if (turn.status === "dispatching") return gettext("Starting");
  if (live.quietSeconds > 0) {
    return interpolate(gettext("Quiet for %s; its process is alive"), [durationWords(live.quietSeconds * 1000)]);
  }
  const running = toolsOf(turn).filter((tool) => tool.status === "running" || tool.status === "pending").at(-1);
  if (running) return interpolate(gettext("Running %s"), [toolTitle(running)]);
  if (live.thinkingSince !== null) return gettext("Thinking");
  return live.text ? "" : gettext("Working");
}

export function toolTitle(tool) {
  const { title } = tool.details;
  return typeof title === "string" && title !== "" ? title : tool.name;
}

export function endingWords(turn) {
  if (turn.ending?.message) return turn.ending.message;
  return {
    failed: gettext("The agent could not finish this turn."),
    cancelled: gettext("This turn was cancelled."),
    interrupted: gettext("This turn was interrupted before its answer was complete."),
  }[turn.status];
}

/* A turn's state in a list of turns. */
export function turnStateWords(status) {
  return {
    queued: gettext("waiting"),
    dispatching: gettext("starting"),
    running: gettext("running"),
    completed: gettext("done"),
    failed: gettext("failed"),
    cancelled: gettext("cancelled"),
    interrupted: gettext("interrupted"),
  }[status] ?? status;
}

/* What somebody did to give work to agents without a message; names: theirs. */
export function dispatchWords(operation, names) {
  const told = {
    worker_ask: gettext("asked %s"),
    dispatch_event: gettext("passed a message on to %s"),
  }[operation] ?? gettext("gave %s work");
  return interpolate(told, [names]);
}

/* A limit of the configuration, as a part of a sentence; undefined for one that has no words. */
export function limitWords(limit) {
  return {
    rootTurns: gettext("the limit of turns per message"),
    hopCount: gettext("the limit of calls in a row"),
    actorCallsPerRoot: gettext("the limit of turns per agent"),
    queuePerAgent: gettext("the limit of an agent’s queue"),
  }[limit];
}

/* Of a turn that a steer has ended, instead of its ending. */
export function redirectedWords(name, reason) {
  // who, and why
  return interpolate(gettext("%s redirected this turn: %s"), [name, reason]);
}

/* namesOf(actorIds): the names of agents as a list. */
export function noticeWords(notice, namesOf) {
  const { type, body } = notice;
  if (type === "session.failed") return body.message ?? gettext("could not open its session.");
  if (type === "session.started") {
    return body.message ?? gettext("could not resume its earlier session and begins with a fresh one.");
  }
  if (type === "system.error") return body.message ?? gettext("Something went wrong inside GroupX.");
  if (type.startsWith("routing.loop_")) return body.message;
  return supervisionWords(type, body, namesOf) ?? memoryWords(type, body, namesOf) ?? type;
}

function supervisionWords(type, body, namesOf) {
  const actorIds = (turns) => turns.map(({ targetActorId }) => targetActorId);
  if (type === "supervision.paired") {
    // who works, who watches them
    return interpolate(gettext("Observers of %s: %s"), [namesOf(actorIds(body.workers)), namesOf(actorIds(body.watchers))]);
  }
  if (type === "supervision.observed") return interpolate(gettext("began to watch %s."), [namesOf([body.targetActorId])]);
  if (type !== "supervision.steered") return null;
  // whom, and why
  const told = body.action === "interrupt" ? gettext("interrupted %s to redirect it: %s") : gettext("advised %s for its next turn: %s");
  return interpolate(told, [namesOf([body.targetActorId]), body.reason]);
}
