/* The assistant's stream, for all tabs that show it over one connection. A tab takes part only while it wants to. */

import { backoffMs, openStream } from "./event_stream.js";
import { shareStream } from "./shared_stream.js";

/* lives(): what streamed so far, for a tab that comes late; onJoined(lives): this tab comes late; onEvent({type, data});
   onOpen(): the stream begins, or begins again: what is kept is to be asked for; onState(isOpen). */
export function createAssistantLink({ lives, onJoined, onEvent, onOpen, onState }) {
  let stream = null;

  function begin() {
    const mine = shareStream({
      name: "groupx.assistant",
      open: (handlers) => openStream({ url: () => "/api/assistant/events", ...handlers }),
      position: () => 0,
      snapshot: () => ({ lives: lives() }),
      onEvent({ type, data }) {
        if (stream === mine && type.startsWith("assistant.")) onEvent({ type, data: JSON.parse(data) });
      },
      onState(state) {
        if (stream !== mine) return;
        onState(state === "open");
        if (state === "open") onOpen();
      },
      onRefused: () => setTimeout(again, backoffMs(1), mine),
      onRejoined(given) {
        onJoined(given.lives);
        onOpen();
      },
    });
    return mine;
  }

  async function enter(mine) {
    const given = await mine.join();
    if (stream !== mine) return;
    if (given !== null) onJoined(given.lives);
    mine.run();
  }

  /* The server took the address for none of its own: it is closing, say. */
  function again(mine) {
    if (stream !== mine) return;
    leave();
    want(true);
  }

  function leave() {
    const left = stream;
    stream = null;
    left.leave();
    onState(false);
  }

  function want(isWanted) {
    if (isWanted === (stream !== null)) return;
    if (!isWanted) {
      leave();
      return;
    }
    stream = begin();
    enter(stream);
  }

  return { want };
}
