/* The card of one agent: its fields, its trial. Made once; what is typed stays in its fields. */

import { cloneTemplate, partsIn } from "./elements.js";
import { createFields } from "./setup_fields.js";
import { OPEN_DRIVER, commandOf, idFrom, programOf, scriptOf } from "./setup_rules.js";
import { createTrial } from "./setup_trial.js";
import { initials } from "./words.js";

const RUNS = new Set(["command", "cwd", "script", "args", "mode"]); // what a trial is a trial of
const COLOURS = 5;

/* agent: its draft; isNew: no file has it yet; aboutOf(driver): its program in words, {label, version, folder}; takenIds(): of the other cards;
   onChange(); onRemove(). */
export function createAgentCard({ agent, isNew, place, aboutOf, takenIds, onChange, onRemove }) {
  const element = cloneTemplate("setup-agent");
  const parts = partsIn(element);
  const { driver } = agent;
  let isIdTyped = !isNew;

  const fields = createFields(element, (name) => {
    if (name === "id") isIdTyped = true;
    if (name === "name" && !isIdTyped) fields.set("id", idFrom(fields.get("name"), takenIds(card)));
    if (RUNS.has(name)) trial.outdate();
    draw();
    onChange();
  });
  const trial = createTrial({ parts, draft, onIssues: (issues) => card.say(issues.map(ofTrial)) });

  for (const name of ["id", "name", "cwd", "identity", "enabled"]) fields.set(name, agent[name]);
  fields.set("command", programOf(agent.command));
  fields.set("script", scriptOf(agent.command));
  fields.set("args", (agent.args ?? []).join("\n"));
  fields.set("mode", agent.mode ?? "");
  if (aboutOf(driver).folder) fields.setHint("cwd", interpolate(gettext("Where it works. “.” is %s"), [aboutOf(driver).folder]));
  fields.show("script", scriptOf(agent.command) !== "");
  fields.show("args", driver === OPEN_DRIVER);
  fields.show("mode", driver === OPEN_DRIVER);
  element.dataset.colour = String((place % COLOURS) + 1);

  function draft() {
    const open = driver === OPEN_DRIVER && {
      args: fields.get("args").split("\n").filter((line) => line !== ""),
      ...(fields.get("mode").trim() !== "" && { mode: fields.get("mode").trim() }),
    };
    return {
      id: fields.get("id").trim(),
      driver,
      name: fields.get("name"),
      identity: fields.get("identity"),
      command: commandOf(fields.get("command"), fields.get("script")),
      cwd: fields.get("cwd"),
      enabled: fields.get("enabled"),
      ...open,
    };
  }

  function draw() {
    const about = aboutOf(driver);
    const shown = fields.get("name").trim() || fields.get("id").trim() || about.label;
    parts.title.textContent = shown;
    parts.avatar.textContent = initials(shown);
    parts.about.textContent = [shown === about.label ? "" : about.label, about.version].filter(Boolean).join(" ");
    element.toggleAttribute("data-off", !fields.get("enabled"));
    parts.remove.setAttribute("aria-label", interpolate(gettext("Remove %s"), [shown]));
    parts.test.setAttribute("aria-description", shown);
    if (isNew) return;
    const isOther = fields.get("id").trim() !== agent.id;
    fields.setHint("id", isOther ? gettext("With another id it is another agent: memory stays with the old one.") : idHint);
  }

  /* Of the trial's request as of a field of this card. */
  const ofTrial = ({ path, message }) => ({ path: path.replace(/^agent\./, ""), message, severity: "error" });
  const idHint = gettext("Its address in the room.");

  parts.test.addEventListener("click", trial.press);
  parts.remove.addEventListener("click", () => {
    trial.end();
    onRemove(card);
  });

  const card = {
    element,
    draft,
    driver,
    name: () => parts.title.textContent,
    id: () => fields.get("id").trim(),

    /* issues: [{path, message, severity}] with paths inside this agent. Gives those that have no field here. */
    say(issues) {
      const problems = new Map();
      const homeless = [];
      for (const issue of issues) {
        const name = fieldOf(issue.path);
        if (!fields.has(name)) homeless.push(issue);
        else if (!problems.has(name) || problems.get(name).severity === "warning") problems.set(name, issue);
      }
      fields.say(problems);
      return homeless;
    },

    focus: (name = "name") => fields.control(name).focus(),
    end: trial.end,
  };
  draw();
  return card;
}

function fieldOf(path) {
  if (path.startsWith("command.prefixArgs")) return "script";
  const [first] = path.split(".");
  return first === "driver" ? "command" : first;
}
