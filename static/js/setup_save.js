/* The bar at the page's end: how the draft stands, saving it, and what follows from that in words. */

import { ApiError, saveSetup } from "./api.js";
import { restartRoom } from "./room_restart.js";
import { launched } from "./setup_launch.js";
import { faultsOf } from "./setup_rules.js";
import { numberWords, sentenceWords } from "./words.js";

const MOVING_MS = 2_000; // until a room on another port can be expected to answer

/* parts: named elements of the bar; form: what is not to be touched meanwhile; draft, review: see there. */
export function createSave({ parts, form, draft, review }) {
  let isRunning = false; // a room runs with the file
  let isChanged = false;
  let isBusy = false;
  let canSave = false;
  let broken = ""; // what is wrong with the file itself: it is not written over
  let issues = [];

  const errors = () => issues.filter(({ severity }) => severity === "error").length;

  function say(words, { tone = "", code = "" } = {}) {
    parts["save-words"].textContent = words;
    parts["save-words"].dataset.tone = tone;
    parts["save-code"].textContent = code;
    parts["save-code"].hidden = code === "";
  }

  function draw() {
    parts.save.disabled = isBusy || !canSave;
    parts.save.textContent = isRunning ? gettext("Save") : gettext("Save and open the room");
    parts["show-issue"].hidden = isBusy || errors() === 0;
    if (isBusy) return;
    const wrong = errors();
    if (broken) say(broken, { tone: "bad" });
    else if (wrong > 0) say(interpolate(ngettext("%s field needs a look.", "%s fields need a look.", wrong), [numberWords(wrong)]), { tone: "bad" });
    else if (isChanged || !isRunning) say(gettext("Nothing is written before you save."));
    else say("");
  }

  function setBusy(value) {
    isBusy = value;
    form.inert = value;
    parts.save.disabled = value || !canSave;
    parts.restart.disabled = value;
    if (value) for (const name of ["show-issue", "restart", "to-room"]) parts[name].hidden = true;
  }

  function failed(error, words = error.message) {
    setBusy(false);
    const found = error.details?.issues ?? [];
    if (found.length > 0) {
      issues = found;
      review.tell(found);
      draw();
      showIssue();
      if (document.activeElement?.getAttribute("aria-invalid") === "true") return;
    }
    say(words, { tone: "bad", code: error.code ?? "" });
  }

  function showIssue() {
    const wrong = form.querySelector('[aria-invalid="true"]:not([hidden] *)') ?? form.querySelector('[data-tone="bad"]');
    wrong?.scrollIntoView({ block: "center" });
    wrong?.focus();
  }

  async function save() {
    if (isBusy || !canSave) return;
    review.stop();
    const faults = faultsOf(draft.read());
    if (faults.length > 0) {
      review.tell(faults);
      showIssue();
      return;
    }
    setBusy(true);
    say(gettext("Writing the configuration…"), { tone: "work" });
    try {
      const saved = await saveSetup(draft.read());
      isChanged = false;
      if (isRunning) offerRestart(saved);
      else await open();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed(error);
    }
  }

  async function open() {
    const origin = await launched((words) => say(words, { tone: "work" }));
    say(gettext("The room is open."), { tone: "ok" });
    location.assign(origin);
  }

  function offerRestart({ restartRequired }) {
    setBusy(false);
    draw();
    say(restartRequired ? gettext("Saved. The room goes on as it was until it is restarted.") : gettext("Saved."), { tone: "ok" });
    parts.restart.hidden = !restartRequired;
    parts.save.hidden = restartRequired; // there is nothing to save before the next change
    parts["to-room"].hidden = false;
  }

  async function restart() {
    setBusy(true);
    say(gettext("Restarting the room…"), { tone: "work" });
    try {
      const origin = await restartRoom((words) => say(words, { tone: "work" }));
      if (origin === location.origin) {
        say(gettext("The room is open."), { tone: "ok" });
        location.assign("/");
        return;
      }
      say(interpolate(gettext("The room moves to %s"), [origin]), { tone: "work" });
      setTimeout(() => location.assign(origin), MOVING_MS);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setBusy(false);
      parts.restart.hidden = false;
      say(error.message, { tone: "bad", code: error.code ?? "" });
    }
  }

  addEventListener("beforeunload", (event) => {
    if (isChanged && isRunning && !isBusy) event.preventDefault();
  });

  return {
    save,
    restart,
    showIssue,

    /* told: the answer of GET /api/setup. */
    begin({ runtimeActive, problem }) {
      isRunning = runtimeActive;
      canSave = !problem;
      broken = problem ? sentenceWords(problem) : "";
      draw();
    },

    changed() {
      isChanged = true;
      parts.save.hidden = false;
      parts.restart.hidden = true;
      parts["to-room"].hidden = true;
      if (!isBusy && errors() === 0) draw();
    },

    reviewed(found) {
      issues = found;
      if (parts.restart.hidden) draw();
    },

    unreachable(error) {
      say(error.message, { tone: "bad", code: error.code ?? "" });
    },
  };
}
