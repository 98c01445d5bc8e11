/* What one agent keeps for itself, in a dialog: its core memory, and what it keeps of each day. */

import { cloneTemplate, partsIn } from "./elements.js";
import { dayOfRecord, newestDayFirst } from "./memory_days.js";
import { createMemorySection } from "./memory_section.js";
import { dayWords } from "./words.js";

/* dialog: the element; people: see record_card; openerOf(actorId): the button that the keyboard goes back to. */
export function createAgentMemory({ dialog, people, openerOf }) {
  const parts = partsIn(dialog);
  const views = new Map(); // actorId -> {element, core, dated}; what is being written stays in it
  let shown = null;

  function viewOf(actorId) {
    if (!views.has(actorId)) {
      const element = cloneTemplate("agent-memory");
      const [core, dated] = element.querySelectorAll(".memory");
      const scope = { type: "agent", id: actorId };
      views.set(actorId, {
        element,
        core: createMemorySection({ section: core, scope, agentMemoryType: "core", people }),
        dated: createMemorySection({
          section: dated,
          scope,
          agentMemoryType: "dated",
          people,
          dayOf: (record) => dayWords(`${dayOfRecord(record)}T00:00`),
          sort: newestDayFirst,
        }),
      });
    }
    return views.get(actorId);
  }

  function again() {
    if (!dialog.open) return;
    const { core, dated } = viewOf(shown);
    core.again();
    dated.again();
  }

  parts.close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  dialog.addEventListener("close", () => openerOf(shown)?.focus());

  return {
    open(actorId) {
      shown = actorId;
      parts.title.textContent = interpolate(gettext("Memory of %s"), [people.nameOf(actorId)]);
      parts.content.replaceChildren(viewOf(actorId).element);
      dialog.showModal();
      again();
    },

    again,

    /* Something happened to the memory of these agents. */
    hear(actorIds) {
      if (actorIds.has(shown)) again();
    },

    /* The room answers again. */
    goOn() {
      for (const { core, dated } of views.values()) {
        core.goOn();
        dated.goOn();
      }
    },
  };
}
