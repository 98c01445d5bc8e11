/* What the page wants to be saved, from all its parts. */

import { createFields } from "./setup_fields.js";

/* room: the element with the fields of the room as a whole; onChange(). */
export function createDraft({ room, agents, assistant, onChange }) {
  const fields = createFields(room, onChange);

  return {
    fill(config, drivers, isNew) {
      fields.set("serverPort", String(config.serverPort));
      fields.set("storagePath", config.storagePath);
      agents.fill(config.agents, isNew);
      assistant.fill(config.assistant, drivers);
    },

    read() {
      const brain = assistant.draft();
      return {
        serverPort: Number.parseInt(fields.get("serverPort"), 10),
        storagePath: fields.get("storagePath"),
        agents: agents.drafts(),
        ...(brain && { assistant: brain }),
      };
    },

    /* issues: of the whole request. Gives those that belong to no field. */
    say(issues) {
      const below = issues.map((issue) => ({ ...issue, path: issue.path.replace(/^config\./, "") }));
      const own = new Map(below.filter(({ path }) => fields.has(path)).map((issue) => [issue.path, issue]));
      fields.say(own);
      const places = (path) => own.has(path) || path === "agents" || /^(agents\.\d+|assistant)\./.test(path);
      return [...agents.say(below), ...assistant.say(below), ...below.filter(({ path }) => !places(path))];
    },
  };
}
