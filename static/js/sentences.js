/* The room's own sentences in the reader's language. The log and the API say them in English; this translates them where
   they are shown, by templates in which `{name}` stands for any text. The same as groupx/kernel/sentences.py. Pure. */

const PLACE = /\{(\w+)\}/;
const MARKS = ["; ", ": "];

/* known: {template: translation}. Gives a function (text) -> text; unknown text, an agent's say, stays as it is. */
export function createSentences(known) {
  const templates = Object.keys(known)
    .filter((text) => PLACE.test(text))
    .sort((a, b) => said(b) - said(a) || (a < b ? -1 : 1))
    .map((text) => ({ pattern: patternOf(text), translation: known[text] }));
  const translated = new Map();

  function translate(text) {
    if (!translated.has(text)) translated.set(text, inParts(text));
    return translated.get(text);
  }

  /* What is no sentence as a whole is taken in parts: a list of faults, a place and what is wrong with it. */
  function inParts(text) {
    let shown = "";
    for (let rest = text; ;) {
      const found = whole(rest);
      const mark = MARKS.find((candidate) => rest.includes(candidate));
      if (found !== null || !mark) return shown + (found ?? butForAStop(rest));
      const at = rest.indexOf(mark);
      shown += translate(rest.slice(0, at)) + mark;
      rest = rest.slice(at + mark.length);
    }
  }

  function whole(text) {
    if (Object.hasOwn(known, text)) return known[text];
    for (const { pattern, translation } of templates) {
      const found = pattern.exec(text);
      if (found) return translation.replace(new RegExp(PLACE, "g"), (_, name) => translate(found.groups[name]));
    }
    return null;
  }

  function butForAStop(text) {
    if (text.endsWith(".")) return whole(text.slice(0, -1)) ?? text;
    return whole(`${text}.`)?.replace(/[。.]$/, "") ?? text;
  }

  return templates.length + Object.keys(known).length === 0 ? (text) => text : translate;
}

/* How much of a template is words: the one that says most is tried first. */
function said(template) {
  return template.replace(new RegExp(PLACE, "g"), "").length;
}

function patternOf(template) {
  const pieces = template.split(PLACE); // text, name, text, name, text
  const source = pieces.map((piece, index) => (index % 2 ? `(?<${piece}>[^]*?)` : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  return new RegExp(`^${source.join("")}$`);
}
