/* What an agent is given, as the sections it consists of (docs/context.md). Pure.

   Headings stand alone in their line. Whatever others wrote has "> " before each of its lines, so none of it is taken for
   one; the current message has not, but it is the last section and goes on to the end. */

import { lengthOf } from "./draft.js";

const HEADING = /(?:^|\n)\[([a-z][a-z_]*)\](?=\n|$)/g;
const LAST = "current_message";
const BETWEEN = "\n\n"; // two sections

/* [{name, text: what stands under its heading, characters: with the heading and the gap behind it}], in their order. All
   characters together are those of the whole. What stands before the first heading has the name "". */
export function sectionsOf(whole) {
  const starts = startsOf(whole);
  return starts.map(({ name, at }, index) => {
    const raw = whole.slice(at, starts[index + 1]?.at);
    const under = name === "" ? raw : raw.slice(`[${name}]\n`.length);
    const isLast = index === starts.length - 1;
    return { name, text: !isLast && under.endsWith(BETWEEN) ? under.slice(0, -BETWEEN.length) : under, characters: lengthOf(raw) };
  });
}

function startsOf(whole) {
  const starts = [];
  for (const { 0: found, 1: name, index } of whole.matchAll(HEADING)) {
    starts.push({ name, at: index + (found.startsWith("\n") ? 1 : 0) });
    if (name === LAST) break;
  }
  if (whole !== "" && starts[0]?.at !== 0) starts.unshift({ name: "", at: 0 });
  return starts;
}
