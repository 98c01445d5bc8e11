// Tool details as text: [[name, value]] on stdin.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { detailText } = await import(pathToFileURL(process.argv[2]));
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(([name, value]) => detailText(name, value))));
