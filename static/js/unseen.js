/* The button that leads to the newest messages, with how many of them came while the reader was elsewhere. */

import { numberWords } from "./words.js";

export function createUnseen({ button, isAtEnd }) {
  let unseen = 0;

  return {
    /* after: the seq up to which the reader's page had everything. */
    count(envelopes, after) {
      if (!isAtEnd()) unseen += envelopes.filter(({ type, seq }) => type === "message.created" && seq > after).length;
    },

    forget() {
      unseen = 0;
    },

    draw() {
      if (isAtEnd()) unseen = 0;
      button.hidden = isAtEnd();
      if (button.hidden) return;
      button.textContent = unseen === 0
        ? gettext("To the newest messages")
        : interpolate(ngettext("%s new message", "%s new messages", unseen), [numberWords(unseen)]);
    },
  };
}
