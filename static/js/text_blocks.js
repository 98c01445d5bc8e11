/* Long plain text in the page: never markup, appended where it only grew. */

const BLOCK_CHARS = 2_000;
const shown = new WeakMap(); // container -> {text, node}

/* Make `container` show `text`. Grown text is appended to the last text node; beyond some length a line break opens a
   new block, so that the browser lays out only the end of a long answer again. */
export function showText(container, text) {
  let before = shown.get(container);
  if (before && before.text === text) return;
  if (!before || !text.startsWith(before.text)) {
    container.replaceChildren();
    before = { text: "", node: null };
    shown.set(container, before);
  }
  let rest = text.slice(before.text.length);
  before.text = text;
  while (rest !== "") {
    before.node ??= openBlock(container);
    const room = Math.max(0, BLOCK_CHARS - before.node.length);
    const lineEnd = rest.length > room ? rest.indexOf("\n", room) : -1;
    before.node.appendData(lineEnd < 0 ? rest : rest.slice(0, lineEnd));
    rest = lineEnd < 0 ? "" : rest.slice(lineEnd + 1);
    // the break itself is the border between two blocks; the last block may be empty so far
    if (lineEnd >= 0) before.node = openBlock(container);
  }
}

function openBlock(container) {
  const block = document.createElement("div");
  const node = document.createTextNode("");
  block.append(node);
  container.append(block);
  return node;
}
