/* Sends again what may not have arrived while the room is there all the same: after a pause that grows. */

const FIRST_MS = 5_000;
const LONGEST_MS = 60_000;

/* send(): is asked to try once more. */
export function createRetryLater(send) {
  let timer = null;
  let pauseMs = FIRST_MS;

  function stop() {
    clearTimeout(timer);
    timer = null;
  }

  return {
    later() {
      stop();
      timer = setTimeout(send, pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_MS);
    },

    /* The room has answered, or nobody wants it any more. */
    over() {
      stop();
      pauseMs = FIRST_MS;
    },
  };
}
