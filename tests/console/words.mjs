// What a person reads, in English: [[function, argument, …]] on stdin.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

globalThis.document = { documentElement: { lang: "en" } };
globalThis.gettext = (text) => text;
globalThis.ngettext = (one, many, count) => (count === 1 ? one : many);
globalThis.interpolate = (text, values) => values.reduce((filled, value) => filled.replace("%s", value), text);
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] } });

const words = await import(pathToFileURL(process.argv[2]));
const namesOf = (actorIds) => actorIds.join(", ");
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(([name, ...given]) => words[name](...given.map((value) => value ?? (name === "noticeWords" ? namesOf : null))))));
