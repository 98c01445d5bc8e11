/* Memory on the room's page: that of the room beside the log, and each agent's own in a dialog. Kept current by the
   log's events, which tell of a memory without its text. */

import { createAgentMemory } from "./agent_memory.js";
import { createMemorySection } from "./memory_section.js";

const THE_ROOM = { type: "room", id: "room:main" };

/* section, dialog: elements of the page; people: see record_card; openerOf(actorId): see agent_memory. */
export function createMemories({ section, dialog, people, openerOf }) {
  const room = createMemorySection({ section, scope: THE_ROOM, people });
  const agents = createAgentMemory({ dialog, people, openerOf });

  return {
    /* Another snapshot: anything may have changed. */
    again() {
      room.again();
      agents.again();
    },

    hear(envelopes) {
      const scopes = envelopes.filter(({ type }) => type.startsWith("memory.")).map(({ body }) => body.scope);
      if (scopes.some(({ type }) => type === THE_ROOM.type)) room.again();
      agents.hear(new Set(scopes.map(({ id }) => id)));
    },

    /* The room answers again. */
    goOn() {
      room.goOn();
      agents.goOn();
    },

    /* A message becomes something to remember. */
    pin: ({ content, eventId, words }) => room.add(content, eventId, words),
    openOf: (actorId) => agents.open(actorId),
  };
}
