/* What a turn has used, as its agent told it: a quiet line under the answer, its parts when opened. */

import { piece } from "./elements.js";
import { moneyWords, numberWords } from "./words.js";

/* parts: of the turn's card; usage: of its terminal event, or null. What is unknown is not shown. */
export function drawUse(parts, usage) {
  const facts = usage ? factsOf(usage) : [];
  parts.use.hidden = facts.length === 0;
  if (parts.use.hidden) return;
  parts["use-title"].textContent = titleWords(usage);
  parts["use-facts"].replaceChildren(...facts.flatMap(([name, value]) => [piece("dt", "fact-name", name), piece("dd", "fact", value)]));
}

function titleWords({ totalTokens, costUsd }) {
  const known = [];
  if (totalTokens !== undefined) known.push(tokenWords(totalTokens));
  if (costUsd !== undefined) known.push(moneyWords(costUsd));
  return known.length > 0 ? known.join(gettext(", ")) : gettext("Use");
}

const tokenWords = (count) => interpolate(ngettext("%s token", "%s tokens", count), [numberWords(count)]);

/* [name, value] of what is known. */
function factsOf(usage) {
  const facts = [];
  if (usage.inputTokens !== undefined) facts.push([gettext("Input"), partWords(usage.inputTokens, usage.cachedTokens, gettext("%s, %s of it from the cache"))]);
  if (usage.outputTokens !== undefined) facts.push([gettext("Output"), partWords(usage.outputTokens, usage.reasoningTokens, gettext("%s, %s of it thoughts"))]);
  if (usage.totalTokens !== undefined) facts.push([gettext("Together"), numberWords(usage.totalTokens)]);
  if (usage.costUsd !== undefined) facts.push([gettext("Cost"), moneyWords(usage.costUsd)]);
  if (usage.contextUsed !== undefined) {
    const size = usage.contextSize;
    facts.push([gettext("Context"), size === undefined ? numberWords(usage.contextUsed) : interpolate(gettext("%s of %s"), [numberWords(usage.contextUsed), numberWords(size)])]);
  }
  return facts;
}

function partWords(count, part, words) {
  return part ? interpolate(words, [numberWords(count), numberWords(part)]) : numberWords(count);
}
