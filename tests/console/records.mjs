// What a page has of memory: a script of steps on stdin, what came of it on stdout.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { createRecordPages } = await import(pathToFileURL(process.argv[2]));
const { lists, steps } = JSON.parse(readFileSync(0, "utf8")); // lists: name -> memoryIds, the newest first
const waiting = [];
const said = [];

/* As the API: the records of a list after the cursor. A page is given when a step lets it. */
function ask({ name, cursor = 0, limit }) {
  const items = lists[name].slice(cursor, cursor + limit).map((memoryId) => ({ memoryId }));
  const end = cursor + items.length;
  const page = end < lists[name].length ? { items, nextCursor: end } : { items };
  return new Promise((resolve, reject) => waiting.push({ answer: () => resolve(page), fail: () => reject(new Error(`${name} failed`)) }));
}

const pages = createRecordPages(ask, [{ name: "standing" }, { name: "others" }]);
const settled = () => new Promise((resolve) => setImmediate(resolve));

for (const [step, ...given] of steps) {
  if (step === "again" || step === "more") pages[step]().catch((error) => said.push(error.message));
  else if (step === "other") pages.other(given).catch((error) => said.push(error.message));
  else if (step === "change") Object.assign(lists, given[0]);
  else if (step === "fail") waiting.splice(given[0] ?? 0, 1)[0].fail();
  else if (step === "answer") waiting.splice(given[0] ?? 0, 1)[0].answer();
  else while (waiting.length > 0) { // "settle"
    waiting.shift().answer();
    await settled();
  }
  await settled();
  if (step === "show") said.push({ ids: pages.items().map(({ memoryId }) => memoryId), hasMore: pages.hasMore() });
}
process.stdout.write(JSON.stringify(said));
