// {names: {actorId: name}, said: [sentence]} on stdin; each sentence with names for ids.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

globalThis.document = { documentElement: { lang: "en" } };
globalThis.gettext = (text) => text;
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] } });

const { inNames } = await import(pathToFileURL(process.argv[2]));
const { names, said } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(said.map((sentence) => inNames(sentence, new Map(Object.entries(names))))));
