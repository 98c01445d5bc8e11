/* Writing to a bus room, as the person. Nobody picked means everybody. */

import { writeToBus } from "./api.js";
import { HUMAN, colourOf } from "./bus_members.js";
import { cloneTemplate } from "./elements.js";
import { createMessageBox } from "./message_box.js";
import { listWords } from "./words.js";

/* form: the composer's element; onSent(): after the room took a message. */
export function createBusComposer({ form, apiUrl, draftKey, onSent }) {
  let members = [];
  let isDriven = false;
  const box = createMessageBox({ form, draftKey, post, show, onSent });
  const { parts } = box;

  function post({ clientCommandId, to, content: text, replyTo }) {
    return writeToBus(apiUrl, { clientCommandId, to, text, ...(replyTo ? { replyTo: replyTo.id } : {}) });
  }

  function show({ to }) {
    parts.text.placeholder = to.length === 0 ? gettext("Write to everyone.") : interpolate(gettext("Write to %s."), [listWords(to)]);
    parts.wakes.textContent = isDriven ? wakesWords(to) : "";
  }

  /* Whom the self-drive will wake for this message. */
  function wakesWords(to) {
    const wakeable = members.filter(({ transport }) => transport !== "");
    const wanted = to.length === 0
      ? wakeable.filter(({ isPrimary }) => isPrimary)
      : wakeable.filter(({ name }) => to.includes(name));
    if (wanted.length === 0) return gettext("Wakes nobody");
    return interpolate(gettext("Wakes %s"), [listWords(wanted.map(({ name }) => name))]);
  }

  box.draw();

  return {
    /* Who is in the room, and whether the self-drive is on. Recipients that are gone are dropped. */
    setRoom(state) {
      const names = (list) => list.map(({ name }) => name).join("\n");
      const others = state.members.filter(({ name }) => name !== HUMAN);
      if (names(others) !== names(members)) {
        parts.chips.replaceChildren(...others.map(({ name }) => {
          const chip = cloneTemplate("chip");
          chip.dataset.to = name;
          chip.dataset.colour = colourOf(name);
          chip.textContent = name;
          return chip;
        }));
      }
      members = others;
      isDriven = state.selfDrive.isOn;
      const { to } = box.draft();
      const known = to.filter((name) => others.some((member) => member.name === name));
      if (known.length !== to.length) box.change({ to: known });
      else box.draw();
    },

    /* Answer a message: its author becomes the recipient where nobody was picked. */
    replyTo(message, words) {
      const { to } = box.draft();
      const canAnswer = members.some(({ name }) => name === message.from);
      box.change({ replyTo: { id: message.id, words }, to: canAnswer && to.length === 0 ? [message.from] : to });
      parts.text.focus();
    },

    retryUncertain: box.retryUncertain,
  };
}
