/* Elements that no template has. textContent only. */

export function piece(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}
