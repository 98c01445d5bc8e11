/* What was saved in the setup and waits for a restart of the room: said beside the agents, with the restart. */

import { ApiError, pendingChanges } from "./api.js";
import { cloneTemplate, partsIn } from "./elements.js";
import { restartRoom } from "./room_restart.js";
import { initials, sentenceWords } from "./words.js";

/* section: the element that tells it; mark: a button that leads to it where it is out of sight; onSettled(): the room runs
   with the newest configuration, and did not before; onTrouble(error). */
export function createPendingChanges({ section, mark, onSettled, onTrouble }) {
  const parts = partsIn(section);
  let isWaiting = false; // for a restart
  let isRestarting = false;

  function row({ displayName, driver, change }) {
    const element = cloneTemplate("pending-change");
    const inside = partsIn(element);
    const name = change === "settings" ? gettext("Settings of the room") : displayName;
    inside.avatar.textContent = change === "settings" ? "·" : initials(name);
    inside.name.textContent = name;
    inside.what.textContent = [driver, changeWords(change)].filter(Boolean).join(" · ");
    return element;
  }

  function draw({ restartRequired, changes, problem }) {
    const wasWaiting = isWaiting;
    isWaiting = restartRequired;
    section.hidden = !restartRequired;
    mark.toggleAttribute("data-pending", restartRequired);
    parts.changes.replaceChildren(...changes.map(row));
    parts.problem.hidden = !problem;
    parts.problem.textContent = problem ? sentenceWords(problem) : "";
    parts.restart.hidden = Boolean(problem);
    if (wasWaiting && !restartRequired) onSettled();
  }

  async function ask() {
    try {
      draw(await pendingChanges());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // asked again when the room answers
    }
  }

  return {
    /* The newest envelopes of the room. */
    hear(envelopes) {
      if (envelopes.some(({ type }) => type === "setup.saved")) ask();
    },

    /* The room answers again, perhaps another one. */
    connected() {
      if (!isRestarting) ask();
    },

    async restart() {
      if (isRestarting) return;
      isRestarting = true;
      parts.restart.disabled = true;
      const label = parts.restart.textContent;
      try {
        const origin = await restartRoom((words) => { parts.restart.textContent = words; });
        if (origin !== location.origin) location.assign(origin);
        else await ask();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        onTrouble(error);
      } finally {
        isRestarting = false;
        parts.restart.disabled = false;
        parts.restart.textContent = label;
      }
    },
  };
}

function changeWords(change) {
  return {
    added: gettext("joins with the restart"),
    changed: gettext("changes with the restart"),
    removed: gettext("leaves with the restart"),
    settings: gettext("change with the restart"),
  }[change] ?? change;
}
