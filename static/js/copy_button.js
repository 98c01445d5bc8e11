/* A command to copy: the command as text, and a button that says when it has been copied. */

import { piece } from "./elements.js";

const SAID_MS = 2_000;

export function commandToCopy(command) {
  const line = piece("span", "copy-line", "");
  const button = piece("button", "quiet-button", gettext("Copy"));
  button.type = "button";
  button.setAttribute("aria-label", interpolate(gettext("Copy “%s”"), [command]));
  button.addEventListener("click", async () => {
    const isCopied = await navigator.clipboard.writeText(command).then(() => true, () => false);
    button.textContent = isCopied ? gettext("Copied") : gettext("Select it and copy it by hand");
    setTimeout(() => { button.textContent = gettext("Copy"); }, SAID_MS);
  });
  line.append(piece("code", "code", command), button);
  return line;
}
