/* What every box for a message shares: which Enter sends it, and what is said when it was refused. */

const IME_GUARD_MS = 60; // Safari ends a composition just before the Enter that confirmed it

/* text: the textarea; send(); escape() gives true if there was something to leave. */
export function sendOnEnter(text, { send, escape }) {
  let composedUntil = 0;

  text.addEventListener("compositionend", (event) => {
    composedUntil = event.timeStamp + IME_GUARD_MS;
  });

  text.addEventListener("keydown", (event) => {
    const isConfirming = event.key === "Enter" && event.timeStamp < composedUntil;
    if (event.isComposing || event.keyCode === 229 || isConfirming) return;
    composedUntil = 0; // whatever is pressed next is meant
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && escape()) {
      event.preventDefault();
    }
  });
}

/* words: for the writer. isUncertain: nobody knows whether it arrived, so it keeps its clientCommandId and may be sent
   again; any other refusal uses that id up. */
export function refusalOf(error) {
  const isUncertain = error.isUncertain === true;
  if (error.code === "CLIENT_COMMAND_CONFLICT") {
    return { isUncertain: false, words: gettext("This message was already sent before you changed it. Send again to send the changed text too.") };
  }
  if (isUncertain) {
    return { isUncertain, words: interpolate(gettext("%s Your message is kept here and is sent when the room answers again."), [error.message]) };
  }
  // what went wrong, with its code
  return { isUncertain, words: error.code ? interpolate(gettext("%s (%s)"), [error.message, error.code]) : String(error.message) };
}
