/** Entries of the store. Their time is this machine's, as it is for all that share the file. */
import type { Entry } from "../../../ports/store.ts";
import { scanBytes } from "../../../ports/store.ts";
import type { CommandOf } from "../protocol.ts";
import { deleteEntry, deleteExpiredEntries, putEntry, selectEntries, selectEntry, touchEntry } from "../sql/entries.ts";
import { view } from "./bytes.ts";
import type { Connection } from "./connection.ts";
import type { Write } from "./write.ts";

export function findEntry(reader: Connection, place: Uint8Array): Entry | undefined {
  return reader.get(selectEntry, { place, now: Date.now() }) as Entry | undefined;
}

export function scanEntries(reader: Connection, { input }: CommandOf<"scanEntries">, bytes: Uint8Array): Entry[] {
  const after = view(bytes, 0, input.afterLength);
  const before = view(bytes, input.afterLength, bytes.byteLength - input.afterLength);
  const limit = Math.max(0, input.limit);
  const found: Entry[] = [];
  let byteLength = 0;
  for (const row of reader.iterate(selectEntries, { after, before, limit, now: Date.now() })) {
    const entry = row as unknown as Entry;
    found.push(entry);
    byteLength += entry.bytes.byteLength;
    if (byteLength >= scanBytes) break;
  }
  return found;
}

export function entryWrite({ id, input }: CommandOf<"writeEntry">, bytes: Uint8Array): Write {
  return {
    id,
    byteLength: bytes.byteLength,
    apply(connection): undefined {
      if (input.type === "put") put(connection, input, bytes);
      else if (input.type === "delete") connection.run(deleteEntry, bytes);
      else connection.run(touchEntry, { place: bytes, now: Date.now() });
    },
  };
}

type Put = Extract<CommandOf<"writeEntry">["input"], { type: "put" }>;

function put(connection: Connection, { placeLength, ttlMs, refresh }: Put, bytes: Uint8Array): void {
  const now = Date.now();
  connection.run(putEntry, {
    place: view(bytes, 0, placeLength),
    bytes: view(bytes, placeLength, bytes.byteLength - placeLength),
    now,
    expiresAt: ttlMs === null ? null : now + ttlMs,
    refreshMs: refresh ? ttlMs : null,
  });
}

export function expireWrite({ id, input }: CommandOf<"expireEntries">): Write {
  return {
    id,
    byteLength: 0,
    apply: (connection) => connection.all(deleteExpiredEntries, Date.now(), Math.max(0, input.limit)).length,
  };
}
