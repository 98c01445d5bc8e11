/* What the page says of the room's context, and of its being summed up. */

import { momentWords, numberWords, sentenceWords } from "./words.js";

export function amountWords({ estimatedCharacters, maxCharacters, compactionTriggerCharacters }) {
  const figures = [estimatedCharacters, maxCharacters, compactionTriggerCharacters].map(numberWords);
  return interpolate(gettext("About %s of %s characters. Where a turn would need more than %s, the older part is summed up first."), figures);
}

/* What a summary stands for, and what follows as it was written. */
export function coveredWords({ summaryCreatedAt, uncompactedMessageCount: count }) {
  const messages = numberWords(count);
  if (summaryCreatedAt === undefined) {
    if (count === 0) return gettext("Nothing was said that an agent would be given.");
    return interpolate(ngettext("%s message is given as it was written.", "%s messages are given as they were written.", count), [messages]);
  }
  const told = ngettext(
    "A summary (%s) stands for what was said before; %s message after that is given as it was written.",
    "A summary (%s) stands for what was said before; %s messages after that are given as they were written.",
    count,
  );
  return interpolate(told, [momentWords(summaryCreatedAt), messages]);
}

/* Empty without a reset. */
export function beginWords({ resetAt }) {
  return resetAt === undefined ? "" : interpolate(gettext("The last reset: %s. Nothing from before it is given any more."), [momentWords(resetAt)]);
}

/* progress: the newest event of a compaction; nameOf(actorId). */
export function progressWords({ type, body }, nameOf, now) {
  const name = body.actorId === undefined ? gettext("An agent") : nameOf(body.actorId);
  if (type === "context.compaction.started") {
    if (!(body.blocks > 1)) return interpolate(gettext("%s sums it up."), [name]);
    return interpolate(gettext("%s sums it up, part %s of %s."), [name, numberWords(body.block), numberWords(body.blocks)]);
  }
  if (type === "context.compaction.completed") return gettext("The context was summed up.");
  if (type === "context.compaction.failed") return interpolate(gettext("The context was not summed up: %s"), [sentenceWords(body.message)]);
  const why = [name, sentenceWords(body.message)];
  if (body.nextAttemptAt === undefined) return interpolate(gettext("%s could not sum it up: %s The next agent is asked."), why);
  const seconds = Math.max(0, Math.ceil((Date.parse(body.nextAttemptAt) - now) / 1000));
  return interpolate(gettext("%s could not sum it up: %s It is tried again in %s s."), [...why, numberWords(seconds)]);
}

/* What a person can do where the room could not be summed up. */
export function failureHint(reason) {
  return {
    no_agent: gettext("Start an agent, or let one go on that pauses, then try again."),
    all_failed: gettext("Look at the agents’ cards, then try again. Nothing has changed meanwhile."),
    no_progress: gettext("Nothing has changed. Try again when more was said, or reset the context."),
  }[reason] ?? "";
}
