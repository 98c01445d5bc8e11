/* The setup page: what is wired to what. The only module of it with effects of its own. */

import * as api from "./api.js";
import { partsIn } from "./elements.js";
import { createAgents } from "./setup_agents.js";
import { createAssistantCard } from "./setup_assistant.js";
import { createDraft } from "./setup_draft.js";
import { createMachine, driverWords } from "./setup_machine.js";
import { createReview } from "./setup_review.js";
import { createSave } from "./setup_save.js";
import { createThemeButton } from "./theme_button.js";

const RETRY_MS = 2_000;

const page = document.body;
const parts = partsIn(page);
const theme = createThemeButton(page.querySelector('[data-action="theme"]'));
const known = new Map(); // driver -> what is known of it

const agents = createAgents({
  list: parts.agents,
  empty: parts["no-agents"],
  note: parts["agents-note"],
  maxAgents: Number(page.dataset.maxAgents),
  aboutOf: (driver) => known.get(driver) ?? { label: driver },
  onChange: changed,
});
const assistant = createAssistantCard({ element: parts.assistant, onChange: changed });
const machine = createMachine({ parts, onAdd: agents.add });
const draft = createDraft({ room: parts.room, agents, assistant, onChange: changed });
const review = createReview({ draft, onReviewed: (issues) => save.reviewed(issues) });
const save = createSave({ parts, form: parts.form, draft, review });

function changed() {
  save.changed();
  review.soon();
}

function know(told) {
  const folder = told.configPath.replace(/[\\/][^\\/]*$/, "");
  for (const driver of told.drivers) known.set(driver.driver, { label: driverWords(driver), version: driver.version, folder });
  machine.show(told.drivers);
}

async function begin() {
  let told;
  try {
    told = await api.setup();
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    save.unreachable(error);
    setTimeout(begin, RETRY_MS);
    return;
  }
  know(told);
  const { existing, runtimeActive, configPath } = told;
  draft.fill(told.suggested ?? told.config, told.drivers, !existing);
  parts["config-path"].textContent = configPath;
  parts.first.hidden = !told.suggested;
  parts.nothing.hidden = runtimeActive || Boolean(told.suggested);
  parts.later.hidden = !runtimeActive;
  parts["back-to-room"].hidden = !runtimeActive;
  parts.content.hidden = false;
  page.setAttribute("aria-busy", "false");
  save.begin(told);
  if (agents.count() > 0) review.now();
}

/* What was installed meanwhile. What has been typed stays; an empty list gets what is suggested. */
async function lookAgain(button) {
  button.disabled = true;
  button.textContent = gettext("Looking…");
  try {
    const told = await api.setup();
    know(told);
    if (agents.count() === 0 && told.suggested) {
      draft.fill(told.suggested, told.drivers, true);
      review.now();
    }
  } finally {
    button.disabled = false;
    button.textContent = gettext("Look again");
  }
}

function addDemo(button) {
  for (const agent of JSON.parse(button.dataset.agents)) agents.add(agent);
}

const actions = {
  demo: addDemo,
  theme: theme.change,
  save: save.save,
  restart: save.restart,
  "show-issue": save.showIssue,
  "look-again": lookAgain,
};

page.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-action]");
  try {
    await actions[button?.dataset.action]?.(button);
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    save.unreachable(error);
  }
});
addEventListener("pagehide", agents.end);
begin();
