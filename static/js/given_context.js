/* What agents are given: for a message before it is sent, and for a turn that was. */

import * as api from "./api.js";
import { lengthOf } from "./draft.js";
import { inNames } from "./named_text.js";
import { createPacketView } from "./packet_view.js";
import { isOpen } from "./timeline_turns.js";
import { sentenceWords } from "./words.js";

/* dialog: its element; view: see cards.drawRow; maxCharacters(): the limit of what an agent is given. */
export function createGivenContext({ dialog, view, maxCharacters }) {
  const packetView = createPacketView({ dialog, maxCharacters });
  const nameOf = (actorId) => view.state.names.get(actorId) ?? actorId;
  const whose = (actorId) => ({ name: nameOf(actorId), colour: view.colourOf(actorId) });

  const inWords = ({ code, message }) => ({ code, message: inNames(sentenceWords(message), view.state.names) });

  async function ask(asked) {
    const { agents } = await api.preview(asked);
    return agents.map(({ actorId, problem = null, ...packet }) => ({ ...whose(actorId), ...packet, problem: problem && inWords(problem) }));
  }

  async function get(turn) {
    try {
      const { text, omissions } = await api.turnPacket(turn.turnId);
      return [{ ...whose(turn.targetActorId), text, characters: lengthOf(text), omissions, needsCompaction: false, problem: null }];
    } catch (error) {
      if (error.code !== "NOT_FOUND") throw error;
      const message = isOpen(turn) ? gettext("Nothing has been sent to the agent for this turn yet.") : gettext("Nothing was sent to the agent for this turn.");
      return [{ ...whose(turn.targetActorId), problem: { code: null, message } }];
    }
  }

  return {
    /* asked: {to, content, replyToEventId?} */
    preview: (asked) => packetView.open({
      title: gettext("What they will see"),
      about: gettext("What each of them would be given if you sent this message now. Nothing is sent by looking."),
      load: () => ask(asked),
    }),

    showGiven: (turn) => packetView.open({
      title: interpolate(gettext("What %s was given"), [nameOf(turn.targetActorId)]),
      about: gettext("The text that was sent to the agent for this turn, as it was."),
      load: () => get(turn),
    }),
  };
}
