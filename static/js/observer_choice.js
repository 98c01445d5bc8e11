/* Who watches those that work on a message, chosen below its recipients. Closed, nobody does. */

import { observersOf } from "./draft.js";
import { cloneTemplate } from "./elements.js";

const MAX_OBSERVERS = 4;

/* parts: the composer's; draft(): what is being written; choose(observers): actorIds from now on. */
export function createObserverChoice({ parts, draft, choose, colourOf }) {
  const { "watch-button": button, watch: row, observers: chips } = parts;
  let isOpen = false;
  let agents = [];

  function draw() {
    const { to } = draft();
    const chosen = observersOf(draft());
    const isShown = agents.length > 1 && (isOpen || chosen.length > 0);
    button.hidden = agents.length < 2;
    button.setAttribute("aria-expanded", String(isShown));
    row.hidden = !isShown;
    for (const chip of chips.children) {
      const { actorId } = chip.dataset;
      chip.hidden = to.includes(actorId);
      chip.setAttribute("aria-pressed", String(chosen.includes(actorId)));
      chip.disabled = chosen.length >= MAX_OBSERVERS && !chosen.includes(actorId);
    }
  }

  button.addEventListener("click", () => {
    isOpen = row.hidden;
    if (isOpen) draw();
    else choose([]);
  });

  chips.addEventListener("click", (event) => {
    const actorId = event.target.closest("[data-actor-id]")?.dataset.actorId;
    if (!actorId) return;
    const chosen = observersOf(draft());
    choose(chosen.includes(actorId) ? chosen.filter((other) => other !== actorId) : [...chosen, actorId]);
  });

  return {
    draw,
    close() {
      isOpen = false;
    },
    setAgents(enabledAgents) {
      agents = enabledAgents;
      chips.replaceChildren(...agents.map(({ actorId, displayName }) => {
        const chip = cloneTemplate("watch-chip");
        chip.dataset.actorId = actorId;
        chip.dataset.colour = colourOf(actorId);
        chip.textContent = displayName;
        return chip;
      }));
    },
  };
}
