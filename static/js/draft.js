/* A message being written, kept in the browser until the room has accepted it. Pure but for its storage.

   The clientCommandId belongs to what was first sent: as long as nobody knows whether that arrived, it is sent again
   with the same id, and the room takes it once. */

export function emptyDraft(to = []) {
  return { content: "", to, observers: [], replyTo: null, clientCommandId: null };
}

export function loadDraft(storage, key) {
  try {
    const saved = JSON.parse(storage.getItem(key) ?? "null");
    if (saved && typeof saved.content === "string" && Array.isArray(saved.to)) return { ...emptyDraft(), ...saved };
  } catch {
    // no storage, or not ours
  }
  return emptyDraft();
}

export function saveDraft(storage, key, draft) {
  try {
    storage.setItem(key, JSON.stringify(draft));
  } catch {
    // full or forbidden: the draft lives as long as the page
  }
}

/* Nothing to be seen in it: the room refuses it too. */
export const isBlank = (text) => !/[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);

/* Unicode code points, as the room counts. */
export function lengthOf(text) {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/* Who watches: nobody who is to do the work. */
export const observersOf = ({ to, observers }) => observers.filter((actorId) => !to.includes(actorId));

/* The request body, without empty fields. */
export function requestOf(draft) {
  const { clientCommandId, to, content, replyTo } = draft;
  const observers = observersOf(draft);
  return {
    clientCommandId,
    to,
    content,
    ...(replyTo && { replyToEventId: replyTo.eventId }),
    ...(observers.length > 0 && { supervision: { observers, mode: "live_steer" } }),
  };
}
