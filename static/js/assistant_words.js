/* What the page says of the assistant and of what it was asked. */

import { sentenceWords } from "./words.js";

const TONES = { starting: "work", ready: "ok", working: "work", failed: "bad", stopped: "off" };

/* about: the server's answer, or null; isConnected: the stream is open. */
export function stateWords(about, isConnected) {
  if (about === null || !isConnected) return gettext("Connecting");
  if (!about.configured) return gettext("Not set up");
  return {
    starting: gettext("Starting"),
    ready: gettext("Ready"),
    working: gettext("Working"),
    failed: gettext("Failed"),
    stopped: gettext("Stopped"),
  }[about.status] ?? about.status;
}

export function stateTone(about, isConnected) {
  if (about === null || !isConnected) return "warn";
  return about.configured ? (TONES[about.status] ?? "off") : "off";
}

/* What is being done about a question; empty once it is over, or while its answer grows. */
export function progressWords({ state, activity, text, isCut }) {
  if (state === "sending") return gettext("Sending…");
  if (state === "unsent") return gettext("Not sent yet");
  if (state === "waiting") return gettext("Waiting");
  if (state !== "running") return "";
  if (activity !== "") return sentenceWords(activity);
  if (isCut) return gettext("A long answer: the rest can be read when it has ended.");
  return text === "" ? gettext("Thinking…") : "";
}

export function endingWords({ state, error }) {
  if (state === "cancelled") return gettext("You stopped this.");
  return error?.message ? sentenceWords(error.message) : gettext("The assistant could not answer.");
}

/* What to begin with; agents: names of who is in the room. */
export function exampleWords(agents) {
  const examples = [gettext("Who is here, and what is everybody doing?"), gettext("What was decided so far?")];
  if (agents.length > 0) examples.push(interpolate(gettext("Have %s look over the newest changes and tell me what it finds."), [agents[0]]));
  examples.push(gettext("Stop everything that is running."));
  return examples;
}
