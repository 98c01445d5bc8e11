// The side conversation after some steps, each [function, argument, …] of static/js/assistant_talk.js; on stdin
// {steps, unsent}, on stdout what a reader sees and what a tab that comes late is given.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const talk = await import(pathToFileURL(process.argv[2]));
const { steps, unsent } = JSON.parse(readFileSync(0, "utf8"));
let now = talk.NO_TALK;
for (const [name, ...given] of steps) now = talk[name](now, ...given);
process.stdout.write(JSON.stringify({ rows: talk.rows(now, unsent), isUnderWay: talk.isUnderWay(now), lives: talk.livesOf(now) }));
