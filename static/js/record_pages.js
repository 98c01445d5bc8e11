/* Records as a page has them: what was read of some lists of the API, one after the other, and whether there is more.
   No DOM. */

export const PAGE = 20;
const MOST = 500; // the API gives no more at once

/* Up to `count` records of the queries from `place` on: {items, place}, place null at the end.

   ask(query): a page of the API, {items, nextCursor?}; place: {query: index, cursor?}. */
export async function readOn(ask, queries, { query, cursor }, count) {
  const items = [];
  for (let at = { query, cursor }; at.query < queries.length;) {
    if (items.length === count) return { items, place: at };
    const page = await ask({ ...queries[at.query], cursor: at.cursor, limit: count - items.length });
    items.push(...page.items);
    if (page.nextCursor) return { items, place: { query: at.query, cursor: page.nextCursor } };
    at = { query: at.query + 1, cursor: undefined };
  }
  return { items, place: null };
}

/* queries: as readOn's. */
export function createRecordPages(ask, queries) {
  const start = { query: 0 };
  let asked = queries;
  let items = [];
  let place = start;
  let newest = null; // the newest reading; an older one comes to what this one comes to

  function read(from, known, count) {
    const reading = (async () => {
      let found;
      try {
        found = await readOn(ask, asked, from, count);
      } catch (error) {
        if (reading === newest) throw error;
      }
      if (reading !== newest) return newest;
      const ids = new Set(known.map(({ memoryId }) => memoryId));
      items = [...known, ...found.items.filter(({ memoryId }) => !ids.has(memoryId))];
      place = found.place;
      return undefined;
    })();
    newest = reading;
    return reading;
  }

  return {
    items: () => items,
    hasMore: () => place !== null && place !== start,

    /* Each resolves when `items` is what the room has by now. */
    again: () => read(start, [], Math.min(MOST, Math.max(PAGE, items.length))),
    more: () => read(place ?? start, items, PAGE),
    other(others) {
      asked = others;
      return read(start, [], PAGE);
    },
  };
}
