/* Restarting the room from a page: asked for, then waited for until the new one answers. */

import { ApiError, health, restartRuntime, setup } from "./api.js";

const PAUSE_MS = 500;
const PATIENCE_MS = 90_000;

/* onStep(words). Gives the origin where the room answers then. Throws an ApiError where it refuses or does not come. */
export async function restartRoom(onStep) {
  const [{ runtimeKey, runtimeScopeKey }, { config }] = await Promise.all([health(), setup()]);
  const isMoving = String(config.serverPort) !== location.port;
  await restartRuntime(runtimeScopeKey);
  onStep(gettext("Closing the room…"));
  const until = Date.now() + PATIENCE_MS;
  let wasGone = false;
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const now = await health().catch((error) => {
      if (!(error instanceof ApiError)) throw error;
      return null;
    });
    wasGone ||= now === null;
    if (wasGone) onStep(gettext("Starting the room…"));
    if (wasGone && isMoving) return `${location.protocol}//${location.hostname}:${config.serverPort}`;
    if (now !== null && (wasGone || now.runtimeKey !== runtimeKey)) return location.origin;
  }
  throw new ApiError(gettext("The room has not come back yet. The terminal in which GroupX runs says more."));
}
