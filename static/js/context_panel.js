/* What the gauge opens: how full the context is in words, Compact and Reset, and how these go. */

import * as api from "./api.js";
import { amountWords, beginWords, coveredWords, failureHint, progressWords } from "./context_words.js";
import { isBusy, piece, setBusy } from "./elements.js";
import { createOnce } from "./once.js";

/* part, nameOf, agents: see createContextGauge; onUsage(usage): the room has answered a command with it. */
export function createContextPanel({ part, nameOf, agents, onUsage }) {
  const of = (name) => part(`context-${name}`);
  const panel = part("context");
  const button = part("gauge-button");
  const once = createOnce();
  const resetWords = of("reset-now").textContent;
  let seen = null;
  let isRunning = false;
  let isCompacting = false; // asked for here, and not answered yet
  let done = null; // the last command of this page: {words, throughSeq, isCompaction}
  let problem = null; // why it was refused

  /* ---------------------------------------------------------------- what is shown */

  function draw() {
    const { usage, progress } = seen;
    of("amount").textContent = amountWords(usage);
    of("covered").textContent = coveredWords(usage);
    show(of("begin"), beginWords(usage));
    const told = progress === null ? "" : progressWords(progress, nameOf, Date.now());
    const hasFailed = progress?.type === "context.compaction.failed";
    show(of("progress"), isRunning ? told : hasFailed || problem ? "" : done?.words ?? told);
    drawProblem(problem ?? (hasFailed ? { message: told, code: progress.body.errorCode } : null));
    const isAtWork = isRunning || isCompacting;
    setBusy(of("compact"), isAtWork || !usage.compactable);
    of("compact").textContent = isAtWork ? gettext("Compacting…") : gettext("Compact now");
    show(of("compact-words"), isAtWork || usage.compactable ? "" : gettext("There is nothing to sum up: the newest messages stay as they are."));
  }

  function drawProblem(shown) {
    of("problem").hidden = shown === null;
    of("problem-words").textContent = shown?.message ?? "";
    of("problem-hint").textContent = failureHint(shown?.details?.reason);
    of("problem-code").textContent = shown?.code ?? "";
  }

  /* Read aloud as it changes: not each second of a wait. */
  function say(sentence) {
    part("gauge-news").textContent = sentence;
  }

  function place() {
    const box = button.getBoundingClientRect();
    panel.style.setProperty("--panel-right", `${Math.max(12, window.innerWidth - box.right)}px`);
    panel.style.setProperty("--panel-bottom", `${window.innerHeight - box.top + 8}px`);
  }

  /* ---------------------------------------------------------------- what is done */

  /* Ask the room for something; its answer, or null where it was refused: then the panel says why. */
  async function command(key, call) {
    done = null;
    problem = null;
    try {
      return await once(key, call);
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      problem = error;
      say(error.message);
      return null;
    } finally {
      draw();
    }
  }

  async function compact() {
    if (isBusy(of("compact"))) return;
    isCompacting = true;
    const answer = await command("compact", api.compactContext);
    isCompacting = false;
    if (answer === null) draw();
    else finish(answer, answer.compacted ? gettext("The context was summed up.") : gettext("There was nothing to sum up."), true);
  }

  async function reset() {
    if (isBusy(of("reset-now"))) return;
    setResetting(true);
    const answer = await command("reset", api.resetContext);
    setResetting(false);
    if (answer === null) return;
    ask(false);
    if (answer.reset) offerFreshSessions();
    finish(answer, answer.reset ? gettext("The context was reset.") : gettext("Nothing was said since the last reset."));
  }

  function setResetting(value) {
    for (const name of ["reset-now", "keep"]) setBusy(of(name), value);
    of("reset-now").textContent = value ? gettext("Resetting…") : resetWords;
  }

  function finish(answer, words, isCompaction = false) {
    done = { words, throughSeq: answer.throughSeq, isCompaction };
    say(words);
    onUsage(answer);
  }

  /* Whether it is really meant: in the page, where the keyboard is. */
  function ask(isAsked) {
    of("sure").hidden = !isAsked;
    of("buttons").hidden = isAsked;
    of("fresh").hidden = true;
    of("reset").ariaExpanded = String(isAsked);
    (isAsked ? of("keep") : of("reset")).focus();
  }

  function offerFreshSessions() {
    of("fresh").hidden = false;
    of("agents").replaceChildren(...agents().map(({ actorId }) => freshButton(actorId)));
  }

  function freshButton(actorId) {
    const fresh = piece("button", "quiet-button", nameOf(actorId));
    fresh.type = "button";
    fresh.setAttribute("aria-label", interpolate(gettext("Fresh session of %s"), [nameOf(actorId)]));
    fresh.addEventListener("click", async () => {
      if (isBusy(fresh)) return;
      setBusy(fresh, true);
      const answer = await command(`fresh ${actorId}`, (id) => api.beginFreshSession(actorId, id));
      setBusy(fresh, false);
      if (answer === null) return;
      const words = interpolate(gettext("%s begins a fresh session."), [nameOf(actorId)]);
      fresh.replaceWith(piece("span", "context-more", words));
      say(words);
      (of("agents").querySelector("button") ?? of("reset")).focus();
    });
    return fresh;
  }

  button.popoverTargetElement = panel;
  panel.addEventListener("beforetoggle", ({ newState }) => {
    if (newState !== "open") return;
    done = null;
    of("sure").hidden = true;
    of("buttons").hidden = false;
    of("fresh").hidden = true;
    place();
    draw();
  });
  window.addEventListener("resize", place);
  of("compact").addEventListener("click", compact);
  of("reset").addEventListener("click", () => ask(true));
  of("keep").addEventListener("click", () => {
    if (!isBusy(of("keep"))) ask(false);
  });
  of("reset-now").addEventListener("click", reset);

  return {
    /* now: the gauge's; isAtWork: a compaction is under way. */
    draw(now, isAtWork) {
      if (now.progress !== null && now.progress !== seen?.progress) {
        if (now.progress.type !== "context.compaction.failed") problem = null; // the answer to a press says more
        done = null;
        say(progressWords(now.progress, nameOf, now.heardAt));
      }
      if (now.progress === null && seen?.progress) {
        problem = null;
        if (done?.isCompaction) done = null;
      }
      if (done !== null && now.newsSeq > done.throughSeq) done = null;
      seen = { ...now };
      isRunning = isAtWork;
      draw();
    },
  };
}

function show(element, words) {
  element.hidden = words === "";
  if (element.textContent !== words) element.textContent = words;
}
