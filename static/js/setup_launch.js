/* From the first save to the room: what happens in words, until the room answers. */

import { ApiError, setupLaunch } from "./api.js";
import { sentenceWords } from "./words.js";

const PAUSE_MS = 400;
const PATIENCE_MS = 90_000;

/* onStep(words). Gives the origin of the room. Throws an ApiError where it does not come. */
export async function launched(onStep) {
  const until = Date.now() + PATIENCE_MS;
  let silence = null; // the newest question that got no answer: the server may just be changing
  while (Date.now() < until) {
    try {
      const { status, origin, message } = await setupLaunch();
      silence = null;
      if (status === "ready") return origin;
      if (status === "failed") throw new LaunchFailed(sentenceWords(message ?? gettext("The room could not be started.")));
      onStep(gettext("Starting the room…"));
    } catch (error) {
      if (error instanceof LaunchFailed || !(error instanceof ApiError)) throw error;
      silence = error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw silence ?? new ApiError(gettext("The room has not started yet. The terminal in which GroupX runs says more."));
}

class LaunchFailed extends ApiError {}
