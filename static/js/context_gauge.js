/* How full the room's context is, beside the message box. The panel that it opens is loaded after the page. */

import { ApiError, contextUsage } from "./api.js";
import { percentWords } from "./words.js";

const PAUSE_MS = 300; // several messages in a row are one reason to ask
const SILENT_MS = 15 * 60_000; // longer than an agent may write: the end of that compaction was missed
const COMPACTION = "context.compaction.";
const RUNNING = new Set([`${COMPACTION}started`, `${COMPACTION}retrying`]);
const CHANGES = new Set(["message.created", "operator.dispatch", "context.reset", `${COMPACTION}completed`]);

const SUMMED_UP_MS = 60_000; // as long as that is news
const ENDS = new Set(["message.created", "operator.dispatch", "context.reset"]);

/* part(name): an element of the page; nameOf(actorId); agents(): {actorId} of those that can begin a fresh session. */
export function createContextGauge({ part, nameOf, agents }) {
  /* usage: the room's newest answer; progress: the newest event of a compaction, and when it came; newsSeq: of the newest
     event that makes old how the last one went. */
  const seen = { usage: null, progress: null, heardAt: 0, newsSeq: 0 };
  let panel = null;
  let timer = null;
  let isAsking = false;
  let isStale = true;

  const isRunning = () => RUNNING.has(seen.progress?.type);

  function draw() {
    const { usage } = seen;
    if (usage === null) return;
    const percent = usage.utilizationPercent;
    const words = interpolate(gettext("Context %s"), [percentWords(percent)]);
    part("gauge-words").textContent = isRunning() ? interpolate(gettext("%s · summing up"), [words]) : words;
    part("gauge-bar").style.setProperty("--full", `${Math.min(percent, 100)}%`);
    part("gauge").dataset.tone = toneOf(usage, seen.progress, isRunning());
    part("gauge").hidden = false;
    panel?.draw(seen, isRunning());
  }

  function changed() {
    isStale = true;
    if (!document.hidden) timer ??= setTimeout(ask, PAUSE_MS);
  }

  async function ask() {
    timer = null;
    if (isAsking) return; // the answer that comes is followed by another question
    isAsking = true;
    isStale = false;
    try {
      take(await contextUsage());
      if (panel === null) await openPanel();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the room is asked again when it is back
    } finally {
      isAsking = false;
    }
    if (isStale) changed();
  }

  async function openPanel() {
    const module = await import("./context_panel.js").catch(() => null);
    if (module === null) return; // the room is just gone: it is loaded with the next answer
    panel = module.createContextPanel({ part, nameOf, agents, onUsage: take });
    draw();
  }

  /* One that was asked for before what is known by now says nothing new. */
  function take(usage) {
    if (seen.usage === null || usage.throughSeq >= seen.usage.throughSeq) seen.usage = usage;
    draw();
  }

  document.addEventListener("visibilitychange", () => {
    if (isStale) changed();
  });

  return {
    changed,

    /* The room may be another one: what was known of it counts no longer. */
    begin() {
      seen.usage = null;
      seen.progress = null;
      seen.newsSeq = 0;
      changed();
    },

    hear(envelopes) {
      for (const envelope of envelopes) {
        const { type } = envelope;
        if (type.startsWith(COMPACTION)) {
          seen.progress = envelope;
          seen.heardAt = Date.now();
          draw();
        }
        if (ENDS.has(type)) {
          seen.newsSeq = envelope.seq;
          if (!isRunning()) seen.progress = null;
        }
        if (CHANGES.has(type)) changed();
      }
    },

    tick() {
      const endsAfterMs = isRunning() ? SILENT_MS : seen.progress?.type === `${COMPACTION}completed` ? SUMMED_UP_MS : Infinity;
      const isOver = Date.now() - seen.heardAt > endsAfterMs;
      if (!isRunning() && !isOver) return;
      if (isOver) seen.progress = null;
      draw();
    },
  };
}

function toneOf({ estimatedCharacters, compactionTriggerCharacters }, progress, isRunning) {
  if (isRunning) return "work";
  if (progress?.type === `${COMPACTION}failed`) return "bad";
  return estimatedCharacters > compactionTriggerCharacters ? "warn" : "off";
}
