/* The members of a bus room: who is there, what waits for each, and who is being woken. */

import { cloneTemplate, setBusy } from "./elements.js";
import { dayTimeWords, elapsedWords, initials, numberWords, sentenceWords } from "./words.js";

const COLOURS = 5;
export const HUMAN = "human";

const places = new Map(); // of members, in the order of the room

/* One of five colours: members have theirs by their place, others by their name. The person has none. */
export function colourOf(name) {
  if (name === HUMAN) return "0";
  if (places.has(name)) return String((places.get(name) % COLOURS) + 1);
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)) % 65_521;
  return String((sum % COLOURS) + 1);
}

/* list: the element of the cards; none: shown when nobody can be woken. */
export function createMembers({ list, none }) {
  const cards = new Map(); // name -> element

  function render(members) {
    members.filter(({ name }) => name !== HUMAN).forEach(({ name }, place) => places.set(name, place));
    const present = new Set(members.map(({ name }) => name));
    for (const [name, card] of cards) {
      if (present.has(name)) continue;
      card.remove();
      cards.delete(name);
    }
    members.forEach((member, index) => {
      const card = cards.get(member.name) ?? make(member.name);
      if (list.children[index] !== card) list.insertBefore(card, list.children[index] ?? null);
      draw(card, member);
    });
    none.hidden = members.some(({ transport }) => transport !== "");
  }

  function make(name) {
    const card = cloneTemplate("member");
    cards.set(name, card);
    card.dataset.member = name;
    return card;
  }

  setInterval(() => {
    for (const elapsed of list.querySelectorAll("[data-since]")) tick(elapsed);
  }, 1_000);

  return { render };
}

function draw(card, member) {
  const part = (name) => card.querySelector(`[data-part="${name}"]`);
  const { wake, presence } = member;
  const canWake = member.transport !== "";
  card.dataset.colour = colourOf(member.name);
  say(part("avatar"), initials(member.name));
  say(part("name"), member.name);
  say(part("unread"), member.unread === 0 ? "" : interpolate(ngettext("%s unread", "%s unread", member.unread), [numberWords(member.unread)]));
  say(part("state"), stateWords(member));
  part("dot").dataset.tone = wake ? "work" : presence?.isAlive ? "ok" : "off";
  const elapsed = part("elapsed");
  if (wake?.state === "running" && !Number.isNaN(Date.parse(wake.since))) {
    elapsed.dataset.since = wake.since;
    tick(elapsed);
  } else {
    delete elapsed.dataset.since;
    say(elapsed, "");
  }
  for (const name of ["role-name", "role"]) part(name).hidden = !member.isPrimary;
  say(part("transport"), member.transport || gettext("none: it reads by itself"));
  for (const field of ["model", "note"]) {
    say(part(field), member[field]);
    part(field).hidden = part(`${field}-name`).hidden = member[field] === "";
  }
  say(part("seen"), presence ? dayTimeWords(presence.lastSeen) || gettext("at an unknown time") : gettext("never"));
  const button = part("wake");
  button.hidden = !canWake;
  setBusy(button, wake !== undefined);
  button.setAttribute("aria-label", interpolate(gettext("Wake %s"), [member.name]));
  part("trouble").hidden = !member.trouble;
  say(part("trouble"), member.trouble ? sentenceWords(member.trouble) : "");
}

function stateWords({ wake, presence, name }) {
  if (wake) return wake.state === "running" ? gettext("being woken") : gettext("will be woken");
  if (presence?.isAlive) return gettext("here");
  if (name === HUMAN) return gettext("you");
  return gettext("asleep");
}

function tick(elapsed) {
  say(elapsed, elapsedWords(Date.now() - Date.parse(elapsed.dataset.since)));
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
