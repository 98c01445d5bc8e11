/* Which agent CLIs are on this machine: what was found, and how to get the others. */

import { commandToCopy } from "./copy_button.js";
import { cloneTemplate, partsIn } from "./elements.js";
import { OPEN_DRIVER } from "./setup_rules.js";
import { sentenceWords } from "./words.js";

const isOpen = ({ driver }) => driver === OPEN_DRIVER;

/* What people call this kind of CLI. */
export const driverWords = (driver) => (isOpen(driver) ? gettext("Another agent (ACP)") : driver.label);

function newAgent({ driver, command }, label) {
  const isAny = isOpen({ driver });
  return { id: isAny ? "agent" : driver, driver, name: isAny ? gettext("Agent") : label, command: command ?? (isAny ? "" : driver) };
}

/* parts: named elements of the column; onAdd(driver). */
export function createMachine({ parts, onAdd }) {
  function row(driver) {
    const element = cloneTemplate("setup-cli");
    const inside = partsIn(element);
    const { version, command, found, install } = driver;
    const label = driverWords(driver);
    inside.name.textContent = label;
    inside.version.textContent = version ?? "";
    inside.path.hidden = !command;
    inside.path.textContent = command ?? "";
    inside.path.title = command ?? "";
    inside.dot.dataset.tone = found ? (driver.problem ? "warn" : "ok") : "off";
    inside.add.setAttribute("aria-label", interpolate(gettext("Add an agent of %s"), [label]));
    inside.add.addEventListener("click", () => onAdd(newAgent(driver, label)));
    const told = found || isOpen(driver) ? [driver.problem, driver.hint] : [];
    inside.problem.textContent = told.filter(Boolean).map(sentenceWords).join(" ");
    inside.problem.hidden = inside.problem.textContent === "";
    if (!found && install) element.append(commandToCopy(install));
    return element;
  }

  return {
    show(drivers) {
      const found = drivers.filter((driver) => driver.found);
      const missing = drivers.filter((driver) => !driver.found).sort((a, b) => isOpen(a) - isOpen(b));
      parts.looking.hidden = true;
      parts.found.replaceChildren(...found.map(row));
      parts.missing.replaceChildren(...missing.map(row));
      parts["missing-fold"].hidden = missing.length === 0;
      parts["missing-fold"].open = found.length === 0;
      parts["none-found"].hidden = found.length > 0;
      parts["look-again"].hidden = false;
    },
  };
}
