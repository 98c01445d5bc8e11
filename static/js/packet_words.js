/* How what an agent is given is said to a person: its sections' titles, and what is left out. */

import { numberWords } from "./words.js";

/* A section's title; null for one that has none. */
export function sectionTitle(name) {
  return {
    groupx_protocol: gettext("About the room and this turn"),
    configured_agent_identity: gettext("Who the agent is"),
    self_identity: gettext("What it says of itself"),
    user_authored_identity: gettext("What you say of it"),
    observed_identity: gettext("What other agents say of it"),
    agent_core_memory: gettext("Its core memory"),
    agent_dated_memory: gettext("Its dated memory"),
    pinned_group_memory: gettext("What the room keeps"),
    relevant_memory: gettext("Memory that has to do with the message"),
    room_checkpoint_summary: gettext("Summary of what was said before"),
    room_delta_since_cursor: gettext("Said in the room since it was last told"),
    reply_chain: gettext("What the message replies to"),
    supervision_watch: gettext("What it is to watch"),
    current_message: gettext("The message"),
  }[name] ?? null;
}

/* {roomDelta: 12, …} as sentences, what weighs most first. */
export function omissionWords(omissions) {
  const told = Object.entries(omissions).filter(([, count]) => count > 0);
  return told.map(([name, count]) => interpolate(leftOut(name, count), [numberWords(count)]));
}

function leftOut(name, count) {
  return {
    roomDelta: ngettext("%s older message is left out.", "%s older messages are left out.", count),
    coreMemory: ngettext("%s of its core memories is not in it.", "%s of its core memories are not in it.", count),
    datedMemory: ngettext("%s day of its dated memory is not in it.", "%s days of its dated memory are not in it.", count),
    roomMemory: ngettext("%s memory of the room is not in it.", "%s memories of the room are not in it.", count),
    identity: ngettext("%s record of identity is not in it.", "%s records of identity are not in it.", count),
  }[name] ?? ngettext("%s more is not in it.", "%s more are not in it.", count);
}

/* "6,120 of at most 256,000 characters" */
export function sizeWords(characters, limit) {
  return interpolate(gettext("%s of at most %s characters"), [numberWords(characters), numberWords(limit)]);
}

export function charactersWords(characters) {
  return interpolate(ngettext("%s character", "%s characters", characters), [numberWords(characters)]);
}
