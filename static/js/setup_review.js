/* Looks over the draft while somebody types: after a pause, first by itself, then through the server. */

import { ApiError, checkSetup } from "./api.js";
import { faultsOf } from "./setup_rules.js";
import { sentenceWords } from "./words.js";

const PAUSE_MS = 400;

/* draft: see setup_draft; onReviewed(issues): the newest that is known. */
export function createReview({ draft, onReviewed }) {
  let timer = null;
  let asking = null; // AbortController

  function tell(issues) {
    draft.say(issues);
    onReviewed(issues);
  }

  async function review() {
    asking?.abort();
    const config = draft.read();
    const faults = faultsOf(config);
    if (faults.length > 0) {
      tell(faults);
      return;
    }
    const mine = (asking = new AbortController());
    try {
      const { issues } = await checkSetup(config, mine.signal);
      if (!mine.signal.aborted) tell(issues.map(inWords));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // typing goes on; saving asks again and says it
    }
  }

  return {
    soon() {
      clearTimeout(timer);
      asking?.abort(); // its answer would be of something else
      timer = setTimeout(review, PAUSE_MS);
    },

    now: review,
    tell: (issues) => tell(issues.map(inWords)),

    stop() {
      clearTimeout(timer);
      asking?.abort();
    },
  };
}

const inWords = (issue) => ({ severity: "error", ...issue, message: sentenceWords(issue.message) });
