// Frames from text in any pieces, and delays of reconnecting: [["frames", [piece]] | ["backoff", failures, random]].
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { backoffMs, frameParser } = await import(pathToFileURL(process.argv[2]));

const results = JSON.parse(readFileSync(0, "utf8")).map(([what, ...given]) => {
  if (what === "backoff") return backoffMs(given[0], () => given[1]);
  const frames = [];
  const parse = frameParser((frame) => frames.push(frame));
  for (const piece of given[0]) parse(piece);
  return frames;
});
process.stdout.write(JSON.stringify(results));
