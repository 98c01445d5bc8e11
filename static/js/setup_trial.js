/* “Say hello”: one real short session of an agent as it stands in its card, saved or not. */

import { ApiError, tryAgent } from "./api.js";
import { durationWords, elapsedWords, sentenceWords } from "./words.js";

/* parts: named elements of the card; draft(): the agent's; onIssues(issues): what the server refused to try. */
export function createTrial({ parts, draft, onIssues }) {
  let running = null; // AbortController
  let began = 0;
  let timer = null;
  let isShown = false;

  function say(words, tone) {
    parts["trial-dot"].dataset.tone = tone;
    parts["trial-dot"].hidden = false;
    parts["trial-words"].textContent = words;
  }

  function showResult({ answer = "", hint = "", code = "" }) {
    parts["trial-answer"].hidden = answer === "";
    parts["trial-answer"].textContent = answer;
    parts["trial-hint"].hidden = hint === "";
    parts["trial-hint"].textContent = sentenceWords(hint);
    parts["trial-code"].hidden = code === "";
    parts["trial-code"].textContent = code;
  }

  const tick = () => { parts["trial-clock"].textContent = elapsedWords(Date.now() - began); };

  function setRunning(controller) {
    running = controller;
    parts.test.textContent = controller ? gettext("Stop") : gettext("Say hello again");
    parts["trial-clock"].hidden = controller === null;
    clearInterval(timer);
    if (controller === null) return;
    began = Date.now();
    tick();
    timer = setInterval(tick, 1_000);
  }

  async function run() {
    const controller = new AbortController();
    const asked = draft();
    setRunning(controller);
    isShown = true;
    delete parts.trial.dataset.stale;
    showResult({});
    say(gettext("Said hello; waiting for its answer"), "work");
    try {
      tell(await tryAgent(asked, controller.signal));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (controller.signal.aborted) {
        say(gettext("Stopped."), "off");
      } else {
        say(error.message, "bad");
        showResult({ code: error.code ?? "" });
        onIssues(error.details?.issues ?? []);
      }
    } finally {
      setRunning(null);
    }
  }

  function tell({ ok, tookMs, answer, version, errorCode, message, hint }) {
    const took = durationWords(tookMs);
    if (!ok) {
      // what went wrong, after how long
      say(interpolate(gettext("%s (after %s)"), [sentenceWords(message ?? gettext("It did not answer.")), took]), "bad");
      showResult({ answer, hint, code: errorCode });
      return;
    }
    // how long, then the version of the program
    say(version ? interpolate(gettext("Answered in %s, version %s"), [took, version]) : interpolate(gettext("Answered in %s"), [took]), "ok");
    showResult({ answer });
  }

  return {
    press() {
      if (running) running.abort();
      else run();
    },

    /* The card was changed: what was found out is of what stood there before. */
    outdate() {
      if (isShown && running === null) parts.trial.dataset.stale = "";
    },

    end: () => running?.abort(),
  };
}
