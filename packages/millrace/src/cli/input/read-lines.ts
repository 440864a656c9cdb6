import { createReadStream } from "node:fs";

/**
 * The lines of a file, split at line feeds and nowhere else: `readline` also splits at U+2028, which JSON has in its
 * strings as it is.
 */
export async function* readLines(file: string): AsyncGenerator<string, void, undefined> {
  let rest = "";
  const stream = createReadStream(file, { encoding: "utf8", highWaterMark: 1 << 20 });
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
