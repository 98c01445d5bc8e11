/* Long plain text in the page: never markup, appended where it only grew, and a very long one little by little. */

const BLOCK_CHARS = 2_000;
const LINE_CHARS = 16_000; // a line that is longer is broken into blocks as well
const SLICE_CHARS = 300_000; // appended in one go; what streams and pages are given is shorter
const shown = new WeakMap(); // container -> {text, length of it that stands in the page, node, isGrowing}

/* Make `container` show `text`. Grown text is appended to the last text node; beyond some length a line break opens a
   new block, so that the browser lays out only the end of a long answer again. A text of megabytes gets a box of its
   own to scroll in (`data-long`) and comes in slices, so that the page answers meanwhile. */
export function showText(container, text) {
  let before = shown.get(container);
  if (before && before.text === text) return;
  if (!before || !text.startsWith(before.text)) {
    container.replaceChildren();
    before = { text: "", length: 0, node: null, isGrowing: false };
    shown.set(container, before);
  }
  before.text = text;
  container.toggleAttribute("data-long", text.length > SLICE_CHARS);
  if (!before.isGrowing) grow(container, before);
}

function grow(container, state) {
  if (shown.get(container) !== state) return; // another text stands there by now
  const end = Math.min(state.text.length, state.length + SLICE_CHARS);
  append(container, state, state.text.slice(state.length, end));
  state.length = end;
  state.isGrowing = end < state.text.length;
  if (state.isGrowing) setTimeout(() => grow(container, state));
}

function append(container, state, text) {
  let rest = text;
  while (rest !== "") {
    state.node ??= openBlock(container);
    const room = Math.max(0, BLOCK_CHARS - state.node.length);
    const lineEnd = rest.length > room ? rest.indexOf("\n", room) : -1;
    const end = lineEnd < 0 ? rest.length : lineEnd;
    const fitting = Math.max(LINE_CHARS - state.node.length, 0);
    if (end > fitting) {
      state.node.appendData(rest.slice(0, fitting));
      rest = rest.slice(fitting);
      state.node = openBlock(container);
      continue;
    }
    state.node.appendData(rest.slice(0, end));
    rest = rest.slice(end + 1);
    // the break itself is the border between two blocks; the last block may be empty so far
    if (lineEnd >= 0) state.node = openBlock(container);
  }
}

function openBlock(container) {
  const block = document.createElement("div");
  const node = document.createTextNode("");
  block.append(node);
  container.append(block);
  return node;
}
