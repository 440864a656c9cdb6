import type { Append } from "@millrace/core";
import type { Group } from "@millrace/core/adapter";

import type { Values } from "../client.ts";
import { bufferOf, hexKeyOf, keyOf } from "../keys.ts";
import type { Statements } from "../sql/statements.ts";

export interface Prepared {
  readonly text: string;
  readonly values: Values;
  /** From the row that came back, the positions of the groups that were not lost. */
  readonly keptOf: (row: Readonly<Record<string, unknown>> | undefined) => ReadonlySet<number>;
}

type Fence = readonly [run: string, epoch: number, lastSeq: number];

/** Bytes that travel end to end; whoever puts some in learns where they begin, from 1, and how many they are. */
class Bytes {
  readonly #parts: Buffer[] = [];
  #length = 0;

  put(bytes: Uint8Array): [start: number, size: number] {
    const start = this.#length + 1;
    this.#parts.push(bufferOf(bytes));
    this.#length += bytes.byteLength;
    return [start, bytes.byteLength];
  }

  whole(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** The smallest statement that does what the groups ask for. */
export function prepare(groups: readonly Group[], statements: Statements): Prepared {
  const [first] = groups;
  if (groups.length === 1 && first?.entries.length === 1 && !first.more) {
    return {
      text: statements.advanceRun,
      values: ofOne(lastOf(first)),
      keptOf: (row) => new Set(row?.["advanced"] === 1 ? [0] : []),
    };
  }
  return { text: statements.advanceRuns, values: ofMany(groups), keptOf: ({ kept } = {}) => positions(kept) };
}

/** Numbers of runs with the positions of their groups: `17 0,18 2`. */
function positions(kept: unknown): ReadonlySet<number> {
  if (typeof kept !== "string") return new Set();
  const pairs = kept.split(",");
  return new Set(pairs.map((pair) => Number(pair.split(" ")[1])));
}

function ofOne({ runId, epoch, row, at }: Append): unknown[] {
  return [keyOf(runId), epoch, row.firstSeq, row.count, row.chain, at, bufferOf(row.bytes)];
}

function ofMany(groups: readonly Group[]): unknown[] {
  const bytes = new Bytes();
  const fences = groups.map(({ runId, epoch, firstSeq }): Fence => [hexKeyOf(runId), epoch, firstSeq - 1]);
  const runs = groups.map((group, i) => runOf(group, fences[i]!, i));
  const rows = groups.flatMap(({ entries }, i) =>
    entries.map(({ append: { row } }) => [...fences[i]!, row.firstSeq, row.count, row.chain, ...bytes.put(row.bytes)]),
  );
  const lasts = groups.map(lastOf);
  const each = <Part>(parts: (append: Append) => readonly Part[], list: (part: Part) => readonly unknown[]): unknown =>
    jsonOf(lasts.flatMap((append, i) => parts(append).map((part) => [...fences[i]!, ...list(part)])));
  const notes = each(
    ({ handled = [] }) => handled,
    ({ kind, key }) => [kind, hexKeyOf(key)],
  );
  const carried = each(
    ({ carry }) => (carry === undefined ? [] : [carry]),
    (carry) => [carry.whole ? 1 : 0, ...bytes.put(carry.bytes)],
  );
  const blobs = each(
    ({ blobs: hashes = [] }) => hashes,
    (hash) => [hexKeyOf(hash)],
  );
  return [JSON.stringify(runs), JSON.stringify(rows), notes, carried, blobs, bytes.whole()];
}

function runOf(group: Group, [run, epoch]: Fence, i: number): readonly unknown[] {
  const { row, at, status = null, fingerprint = null, release = false, wakeAt = null } = lastOf(group);
  const changes = status !== null || release ? 1 : 0;
  return [
    i,
    run,
    epoch,
    group.firstSeq,
    group.lastSeq,
    row.chain,
    at,
    status,
    fingerprint,
    release ? 1 : 0,
    wakeAt,
    changes,
  ];
}

function jsonOf(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

function lastOf({ entries }: Group): Append {
  return entries.at(-1)!.append;
}
