/* What is being written of memory, kept in the tab until the room has it, so that a reload or another language loses
   nothing. Pure but for its storage. */

import { isBlank } from "./draft.js";

/* name -> draft of what has this key: {content, kind, clientCommandId, …}; a blank one is none. */
export function createRecordDrafts(storage, key) {
  const drafts = new Map(load());

  function load() {
    try {
      const saved = Object.entries(JSON.parse(storage.getItem(key) ?? "{}"));
      return saved.filter(([, draft]) => typeof draft?.content === "string");
    } catch {
      return []; // no storage, or not ours
    }
  }

  function save() {
    try {
      if (drafts.size === 0) storage.removeItem(key);
      else storage.setItem(key, JSON.stringify(Object.fromEntries(drafts)));
    } catch {
      // full or forbidden: the drafts live as long as the page
    }
  }

  return {
    names: () => [...drafts.keys()],
    get: (name) => drafts.get(name),

    keep(name, draft) {
      if (isBlank(draft.content)) drafts.delete(name);
      else drafts.set(name, draft);
      save();
    },

    drop(name) {
      drafts.delete(name);
      save();
    },
  };
}
