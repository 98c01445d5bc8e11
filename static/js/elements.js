/* Elements made anew: of a template of the page, or without one. textContent only. */

export function piece(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/* What the page's template of this kind holds, anew. */
export function cloneTemplate(kind) {
  return document.querySelector(`template[data-card="${kind}"]`).content.firstElementChild.cloneNode(true);
}

/* While what a button has asked for is under way: it keeps the keyboard, which one that is disabled loses. */
export function setBusy(button, value) {
  button.ariaDisabled = value ? "true" : null;
}

export const isBusy = (button) => button.ariaDisabled === "true";

/* The named parts inside an element: data-part -> element. */
export function partsIn(element) {
  return Object.fromEntries([...element.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
}
