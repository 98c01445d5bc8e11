/* The card of the room's assistant: on or off, its name, and which CLI thinks for it. */

import { createFields } from "./setup_fields.js";
import { OPEN_DRIVER, commandOf, programOf, scriptOf } from "./setup_rules.js";

const NAME = "Assistant"; // as the configuration has it without a name
const START = "assistant.";

/* element: the card; onChange(). */
export function createAssistantCard({ element, onChange }) {
  let drivers = [];
  let known = false; // the file has one, or it was switched on
  const details = element.querySelector('[data-part="assistant-fields"]');
  const fields = createFields(element, (name) => {
    if (name === "enabled") turn();
    if (name === "brain.driver") useProgramOf(fields.get("brain.driver"));
    onChange();
  });

  function turn() {
    known ||= fields.get("enabled");
    details.hidden = !fields.get("enabled");
  }

  function useProgramOf(driver) {
    fields.set("brain.command", drivers.find((one) => one.driver === driver)?.command ?? driver);
    fields.set("script", "");
    fields.show("script", false);
  }

  function offer(used) {
    const usable = drivers.filter(({ driver, found }) => driver !== OPEN_DRIVER && (found || driver === used));
    const names = usable.some(({ driver }) => driver === used) || !used ? usable : [...usable, { driver: used, label: used }];
    const offered = names.length > 0 ? names : drivers.filter(({ driver }) => driver !== OPEN_DRIVER);
    fields.control("brain.driver").replaceChildren(...offered.map(({ driver, label }) => new Option(label, driver)));
  }

  return {
    /* assistant: its draft or undefined; found: the kinds of CLI. */
    fill(assistant, found) {
      drivers = found;
      known = assistant !== undefined;
      offer(assistant?.brain.driver);
      fields.set("enabled", assistant?.enabled ?? false);
      fields.set("name", assistant?.name ?? NAME);
      fields.set("extraInstructions", assistant?.extraInstructions ?? "");
      fields.set("brain.cwd", assistant?.brain.cwd ?? ".");
      if (assistant) {
        fields.set("brain.driver", assistant.brain.driver);
        fields.set("brain.command", programOf(assistant.brain.command));
        fields.set("script", scriptOf(assistant.brain.command));
        fields.show("script", scriptOf(assistant.brain.command) !== "");
      } else {
        useProgramOf(fields.get("brain.driver"));
      }
      turn();
    },

    draft() {
      if (!known) return undefined; // the file keeps what it has
      return {
        enabled: fields.get("enabled"),
        name: fields.get("name"),
        brain: {
          driver: fields.get("brain.driver"),
          command: commandOf(fields.get("brain.command"), fields.get("script")),
          cwd: fields.get("brain.cwd"),
        },
        extraInstructions: fields.get("extraInstructions"),
      };
    },

    /* issues: with paths below `config.`. Gives those without a field. */
    say(issues) {
      const problems = new Map();
      const homeless = [];
      for (const issue of issues.filter(({ path }) => path.startsWith(START))) {
        const path = issue.path.slice(START.length);
        const name = path.startsWith("brain.command.prefixArgs") ? "script" : path.startsWith("brain.command") ? "brain.command" : path;
        if (!fields.has(name)) homeless.push(issue);
        else if (!problems.has(name) || problems.get(name).severity === "warning") problems.set(name, issue);
      }
      fields.say(problems);
      return homeless;
    },
  };
}
