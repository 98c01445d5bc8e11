/* A list of memory with all that a person does to it: add, replace, retract, look for words, read more of it. */

import * as api from "./api.js";
import { partsIn } from "./elements.js";
import { createOnce } from "./once.js";
import { createRecordDrafts } from "./record_drafts.js";
import { createRecordForm } from "./record_form.js";
import { createRecordList } from "./record_list.js";
import { createRecordPages } from "./record_pages.js";

const STANDING_FIRST = ["instruction,constraint", "fact,decision,preference,note,summary"]; // as agents are given them
const SEARCHED_FROM = 8; // fewer can be seen at once
const TYPING_MS = 250;
const NEW = ""; // the name of the draft that replaces nothing

/* section: of the page's template; scope: {type, id}; agentMemoryType: of an agent's own; people: see record_card;
   dayOf(record): the words of its day, where days are what the list is by, and sort(records) brings them into order. */
export function createMemorySection({ section, scope, agentMemoryType, people, dayOf = null, sort = (records) => records }) {
  const parts = partsIn(section);
  const once = createOnce();
  const drafts = createRecordDrafts(sessionStorage, `groupx.memory.${scope.id}.${agentMemoryType ?? ""}`);
  const filter = { scopeType: scope.type, scopeId: scope.id, agentMemoryType };
  const everything = dayOf ? [filter] : STANDING_FIRST.map((kind) => ({ ...filter, kind }));
  const pages = createRecordPages(api.memories, everything);
  const list = createRecordList({ list: parts.list, dayOf, people, mayReplace: parts.add !== undefined, onReplace, onRetract });
  const revisions = new Set(); // {name, record, form, isTextShown}; record null: what it replaced was retracted meanwhile
  let adding = null; // {form, sourceEventId}
  let isRestored = false; // what was being written anew before the page was loaded
  let words = "";
  let typing = null;
  let isUnread = false; // the last reading failed

  /* ---------------------------------------------------------------- what is shown */

  function show() {
    const items = sort(pages.items());
    const outside = [...revisions].map(({ record }) => record).filter((record) => record && !isAmong(items, record));
    list.show([...outside, ...items], (memoryId) => [...revisions].find(({ record }) => record?.memoryId === memoryId));
    parts.empty.hidden = items.length > 0 || words !== "";
    parts.none.hidden = items.length > 0 || words === "";
    parts.more.hidden = !pages.hasMore();
    if (parts.search) parts.search.hidden = words === "" && !pages.hasMore() && items.length < SEARCHED_FROM;
  }

  function showProblem(error) {
    parts.problem.hidden = error === null;
    parts["problem-words"].textContent = error?.message ?? "";
    parts["problem-code"].textContent = error?.code ?? "";
  }

  const say = (sentence) => parts.said.replaceChildren(sentence); // read aloud even when it is the same again

  /* reading: of `pages`. */
  async function take(reading) {
    parts.list.ariaBusy = "true";
    let failed = null;
    try {
      await reading;
      if (!isRestored) await restore();
      for (const revision of revisions) await keepUp(revision);
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      failed = error;
    }
    isUnread = failed !== null;
    parts.list.ariaBusy = "false";
    parts.loading.hidden = true;
    showProblem(failed);
    if (!isUnread) show();
  }

  const again = () => take(pages.again());

  /* ---------------------------------------------------------------- adding */

  /* What it was learnt from, where that is a message: its id, and it in words. */
  function add(content = "", sourceEventId = undefined, source = "") {
    if (adding === null) {
      openAdding({ content, sourceEventId, source });
      if (content !== "") drafts.keep(NEW, { content, sourceEventId, source });
    } else if (content !== "") {
      adding.sourceEventId = sourceEventId;
      adding.form.add(content, source);
    }
    adding.form.focus();
  }

  function openAdding(draft) {
    const asked = { form: null, sourceEventId: draft.sourceEventId };
    asked.form = createRecordForm({
      saveWords: gettext("Remember"),
      draft,
      onWritten: (written) => drafts.keep(NEW, { ...written, sourceEventId: asked.sourceEventId }),
      post: (written, id) => api.remember({ scope, agentMemoryType, ...written, sourceEventId: asked.sourceEventId }, id),
      onSaved: ({ memoryId }) => done(asked.form, gettext("It is remembered."), memoryId),
      onCancelled: () => drop(asked.form),
    });
    adding = asked;
    parts.adding.prepend(asked.form.element);
    parts.add.ariaExpanded = "true";
  }

  function remove(form) {
    form.element.remove();
    if (adding?.form === form) {
      adding = null;
      drafts.drop(NEW);
      parts.add.ariaExpanded = "false";
    }
    for (const revision of [...revisions].filter((each) => each.form === form)) {
      revisions.delete(revision);
      drafts.drop(revision.name);
    }
  }

  function drop(form, memoryId = null) {
    remove(form);
    show();
    if (!list.focus(memoryId)) parts.add.focus();
  }

  /* Also long after it was sent, when the room is back: then the keyboard may be elsewhere. */
  async function done(form, sentence, memoryId) {
    const isHere = isKeyboardHere();
    remove(form);
    say(sentence);
    await again();
    if (isHere && !list.focus(memoryId)) parts.add.focus();
  }

  /* What was pressed last may be disabled or gone by now; then nothing has the keyboard. */
  const isKeyboardHere = () => document.activeElement === document.body || section.contains(document.activeElement);

  /* ---------------------------------------------------------------- replacing and retracting */

  function onReplace(record) {
    const revision = openRevision(record.memoryId, record, { content: record.content, kind: record.kind });
    show();
    revision.form.focus();
  }

  function openRevision(name, record, draft) {
    const revision = { name, record, form: null, isTextShown: false };
    revision.form = createRecordForm({
      saveWords: gettext("Replace"),
      draft,
      onWritten: (written) => drafts.keep(name, written),
      post: (written, id) =>
        revision.record === null
          ? api.remember({ scope, agentMemoryType, ...written }, id)
          : api.supersedeMemory(revision.record.memoryId, written, id),
      onSaved: ({ memoryId, supersedes }) => done(revision.form, supersedes ? gettext("It is replaced.") : gettext("It is remembered."), memoryId),
      onCancelled: () => drop(revision.form, revision.record?.memoryId),
      onRefused: again,
    });
    revisions.add(revision);
    return revision;
  }

  /* What was being written anew when the page was left. */
  async function restore() {
    const names = drafts.names().filter((name) => name !== NEW);
    const records = await Promise.all(names.map(recordOf));
    if (isRestored) return;
    isRestored = true;
    for (const [index, name] of names.entries()) {
      const revision = openRevision(name, records[index], drafts.get(name));
      if (records[index] === null) outlive(revision);
    }
  }

  /* null where the room has none, as after another one was restored in its place. */
  async function recordOf(memoryId) {
    try {
      return pages.items().find((item) => item.memoryId === memoryId) ?? (await api.memory(memoryId));
    } catch (error) {
      if (error.code !== "NOT_FOUND") throw error;
      return null;
    }
  }

  /* Somebody may have replaced or retracted it while its text is written anew. */
  async function keepUp(revision) {
    const { record, form } = revision;
    if (record === null || form.isOpen() || isAmong(pages.items(), record)) return;
    let newest = await api.memory(record.memoryId);
    while (newest.supersededBy) newest = await api.memory(newest.supersededBy);
    if (!revisions.has(revision) || form.isOpen()) return;
    if (newest.status === "retracted") {
      outlive(revision);
    } else if (newest.memoryId !== record.memoryId) {
      revision.record = newest;
      revision.isTextShown = true;
      form.tell(gettext("Meanwhile a new version was saved; it stands above. Your text replaces it when you save."), gettext("Replace"));
    }
  }

  /* What it replaced is there no more. */
  function outlive(revision) {
    revision.record = null;
    parts.adding.append(revision.form.element);
    revision.form.tell(gettext("This memory was retracted meanwhile. Your text becomes a new one when you save it."), gettext("Remember"));
  }

  /* Why it was refused, or null. */
  async function onRetract(record) {
    const { memoryId } = record;
    let refused = null;
    try {
      await once(memoryId, (id) => api.retractMemory(memoryId, id));
      say(gettext("It is retracted."));
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      refused = error;
    }
    if (refused?.isUncertain) return refused;
    const isHere = isKeyboardHere();
    const at = pages.items().findIndex((item) => item.memoryId === memoryId);
    await again();
    if (isAmong(pages.items(), record)) return refused;
    const neighbour = pages.items()[Math.min(at, pages.items().length - 1)];
    if (isHere && !list.focus(neighbour?.memoryId)) (parts.add ?? section).focus();
    if (refused) showProblem(refused); // its card, which would have said it, is gone
    return refused;
  }

  /* ---------------------------------------------------------------- what is pressed and typed */

  if (parts.add && drafts.get(NEW)) openAdding(drafts.get(NEW));
  parts.add?.addEventListener("click", () => add());
  parts.more.addEventListener("click", async () => {
    const last = pages.items().at(-1);
    await take(pages.more());
    const next = pages.items()[pages.items().indexOf(last) + 1];
    if (parts.more.hidden || document.activeElement === document.body) list.focus(next?.memoryId);
  });
  parts["try-again"].addEventListener("click", again);
  parts.search?.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(async () => {
      words = parts.search.value.trim();
      await take(pages.other(words === "" ? everything : [{ ...filter, q: words }]));
      say(parts.none.hidden ? "" : parts.none.textContent);
    }, TYPING_MS);
  });

  return {
    again,
    add,

    /* The room answers again. */
    goOn() {
      for (const { form } of [adding, ...revisions].filter(Boolean)) form.retryUncertain();
      if (isUnread) again();
    },
  };
}

const isAmong = (records, { memoryId }) => records.some((record) => record.memoryId === memoryId);
