/* What is written to the assistant and what it is not known to have, kept in the browser for all tabs: nothing typed is
   lost. */

const DRAFT = "groupx.assistant.draft";
const UNSENT = "groupx.assistant.unsent";

export function createUnsent(storage) {
  const kept = new Map(); // where there is no storage: as long as the page lives

  function read(key) {
    try {
      return storage.getItem(key);
    } catch {
      return kept.get(key) ?? null;
    }
  }

  function write(key, value) {
    kept.set(key, value);
    try {
      storage.setItem(key, value);
    } catch {
      // full or forbidden
    }
  }

  /* [{clientCommandId, content}], oldest first */
  function all() {
    try {
      return JSON.parse(read(UNSENT) ?? "[]").filter((question) => typeof question?.clientCommandId === "string" && typeof question.content === "string");
    } catch {
      return []; // not ours
    }
  }

  const others = (clientCommandId) => all().filter((question) => question.clientCommandId !== clientCommandId);

  return {
    all,
    add: (question) => write(UNSENT, JSON.stringify([...others(question.clientCommandId), question])),

    drop(clientCommandId) {
      if (all().length > 0) write(UNSENT, JSON.stringify(others(clientCommandId)));
    },

    draft: () => read(DRAFT) ?? "",
    keepDraft: (text) => write(DRAFT, text),
  };
}
