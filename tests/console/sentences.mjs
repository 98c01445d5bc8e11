// {known, said: [text]} on stdin; each text as it is shown.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { createSentences } = await import(pathToFileURL(process.argv[2]));
const { known, said } = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(said.map(createSentences(known))));
