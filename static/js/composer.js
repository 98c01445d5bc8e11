/* Writing a message: recipients as chips, text as text. What is typed routes nothing. */

import { sendMessage } from "./api.js";
import { isBlank, lengthOf, requestOf } from "./draft.js";
import { cloneTemplate, setBusy } from "./elements.js";
import { createMessageBox, toggled } from "./message_box.js";
import { createObserverChoice } from "./observer_choice.js";
import { listWords, numberWords } from "./words.js";

const EVERYONE = "@all";
const NEAR_LIMIT = 0.9;

/* form: the composer's element; draftKey: where the draft is kept; inNames(sentence): with agents by name; onSent():
   after the room accepted a message; onPreview(request): show what its recipients would be given. */
export function createComposer({ form, draftKey, colourOf, inNames, onSent, onPreview }) {
  let agents = [];
  let hasRoom = false; // the room has told who is in it
  let limit = Infinity;
  const box = createMessageBox({
    form,
    draftKey,
    post: (draft) => sendMessage(requestOf(draft)),
    show,
    pick,
    mayBeSent,
    inNames,
    onSent() {
      observerChoice.close();
      onSent();
    },
  });
  const { parts } = box;
  const observerChoice = createObserverChoice({ parts, draft: box.draft, choose: (observers) => box.change({ observers }), colourOf });

  /* ---------------------------------------------------------------- what is shown */

  function show(draft, isSending) {
    const names = agents.filter(({ actorId }) => draft.to.includes(actorId)).map(({ displayName }) => displayName);
    if (hasRoom && agents.length === 0) parts.text.placeholder = gettext("There is nobody to write to yet.");
    else if (draft.to.includes(EVERYONE)) parts.text.placeholder = gettext("Write to everyone.");
    else if (names.length > 0) parts.text.placeholder = interpolate(gettext("Write to %s."), [listWords(names)]);
    else parts.text.placeholder = gettext("Pick who should answer, then write.");
    showLength(draft.content);
    setBusy(parts.send, isSending || isTooLong(draft.content));
    observerChoice.draw();
  }

  function showLength(content) {
    const isNear = content.length > limit * NEAR_LIMIT;
    parts.count.hidden = !isNear;
    parts.count.toggleAttribute("data-over", isTooLong(content));
    if (isNear) {
      parts.count.textContent = interpolate(gettext("%s of %s characters"), [numberWords(lengthOf(content)), numberWords(limit)]);
    }
  }

  // length is never below lengthOf, which reads all of the text
  const isTooLong = (content) => content.length > limit && lengthOf(content) > limit;

  function showChips() {
    const choices = agents.map(({ actorId, displayName }) => ({ to: actorId, name: displayName, colour: colourOf(actorId) }));
    if (choices.length > 1) choices.push({ to: EVERYONE, name: gettext("everyone"), colour: null });
    parts.chips.replaceChildren(...choices.map(({ to, name, colour }) => {
      const chip = cloneTemplate("chip");
      chip.dataset.to = to;
      if (colour) chip.dataset.colour = colour;
      chip.textContent = name;
      return chip;
    }));
  }

  /* ---------------------------------------------------------------- recipients */

  function pick(to, picked) {
    if (to === EVERYONE) return picked.includes(EVERYONE) ? [] : [EVERYONE];
    return toggled(to, picked.filter((other) => other !== EVERYONE));
  }

  function mayBeSent({ content, to }) {
    if (isTooLong(content)) return false;
    if (to.length > 0) return true;
    box.showProblem(agents.length === 0 ? gettext("There is nobody to write to yet.") : gettext("Pick at least one agent, or everyone."));
    parts.chips.firstElementChild?.focus();
    return false;
  }

  parts.preview.addEventListener("click", () => {
    const draft = box.draft();
    box.showProblem("");
    if (!mayBeSent(draft)) return;
    if (isBlank(draft.content)) {
      box.showProblem(gettext("Write the message first: what they see depends on it."));
      parts.text.focus();
      return;
    }
    const { to, content, replyToEventId } = requestOf(draft);
    onPreview({ to, content, replyToEventId });
  });

  box.draw();

  return {
    /* Who can be written to and how much, from the bootstrap. Recipients that are gone are dropped. */
    setRoom(enabledAgents, messageCharacters) {
      hasRoom = true;
      agents = enabledAgents;
      limit = messageCharacters;
      showChips();
      observerChoice.setAgents(agents);
      const known = new Set([...agents.map(({ actorId }) => actorId), EVERYONE]);
      const { to: picked, observers } = box.draft();
      const to = picked.filter((actorId) => known.has(actorId));
      box.change({
        to: to.length === 0 && agents.length === 1 ? [agents[0].actorId] : to,
        observers: observers.filter((actorId) => known.has(actorId)),
      });
    },

    /* Answer a message: its author becomes the recipient where it is an agent and nobody was picked. */
    replyTo(message, words) {
      const { actorId, kind } = message.actor;
      const picked = box.draft().to;
      const canAnswer = kind === "agent" && agents.some((agent) => agent.actorId === actorId);
      box.change({ replyTo: { eventId: message.eventId, words }, to: canAnswer && !picked.includes(EVERYONE) ? [actorId] : picked });
      parts.text.focus();
    },

    retryUncertain: box.retryUncertain,

    focus: () => parts.text.focus(),
  };
}
