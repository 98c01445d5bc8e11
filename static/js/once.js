/* Commands that the room takes once, however often they are sent: each keeps its clientCommandId until the room has
   answered, so that a second try repeats the first. */

import { newCommandId } from "./api.js";

/* Gives a function once(key, call): `key` is what is asked for, `call(clientCommandId)` asks. It resolves to the answer
   and throws what `call` throws. */
export function createOnce() {
  const ids = new Map();

  return async function once(key, call) {
    if (!ids.has(key)) ids.set(key, newCommandId());
    try {
      const answer = await call(ids.get(key));
      ids.delete(key);
      return answer;
    } catch (error) {
      if (error.isUncertain !== true) ids.delete(key);
      throw error;
    }
  };
}
