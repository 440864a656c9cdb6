/** Values that stand in the blob store: found in records, fetched, and put in their place. */
import { RecordKind } from "../events/record.ts";
import type { Backend } from "../ports/backend.ts";
import { decode, revive } from "./codec/codec.ts";
import { journalCorrupt, type RawRecord, type RowReader } from "./rows.ts";
import { systemSha256 } from "../ports/system.ts";

export type BlobSource = Pick<Backend, "getBlob">;

const decoder = new TextDecoder();

/** Gives the value for what stands in a record. */
export type Revive = (stored: unknown) => unknown;

export function reviverFor(
  backend: BlobSource,
  runId: string,
  reader: RowReader,
  records: readonly RawRecord[],
): Revive | Promise<Revive> {
  return reader.mentionsBlobs ? blobsOf(backend, runId, records) : revive;
}

export async function blobsOf(backend: BlobSource, runId: string, records: readonly RawRecord[]): Promise<Revive> {
  // The state in a snapshot is no value: who wants it fetches it.
  const ofValues = records.filter(([kind]) => kind !== RecordKind.snapshot);
  const found = await fetchBlobs(backend, runId, ofValues);
  if (found.size === 0) return revive;
  return (stored) => {
    const hash = blobHash(stored);
    return hash === undefined ? revive(stored) : decode(found.get(hash) ?? "");
  };
}

async function fetchBlobs(
  backend: BlobSource,
  runId: string,
  records: readonly RawRecord[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const hash of blobHashesOf(records)) found.set(hash, decoder.decode(await blobBytes(backend, runId, hash)));
  return found;
}

/** Stands for a value that was not fetched. */
export const notFetched: unique symbol = Symbol("a value that was not fetched");

/** As `reviverFor`, but the blobs of other records than these are left where they are. */
export async function reviverOf(backend: BlobSource, runId: string, wanted: readonly RawRecord[]): Promise<Revive> {
  const found = await fetchBlobs(backend, runId, wanted);
  return (stored) => {
    const hash = blobHash(stored);
    if (hash === undefined) return revive(stored);
    const text = found.get(hash);
    return text === undefined ? notFetched : decode(text);
  };
}

/** Of the blobs that these records name, each once. */
export function blobHashesOf(records: readonly RawRecord[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const record of records) for (const part of record) for (const hash of hashesIn(part)) found.add(hash);
  for (const record of records) for (const hash of blobHashesOf(recordsIn(record))) found.add(hash);
  return found;
}

/** Records that stand inside of one. */
function recordsIn([kind, , second, third]: RawRecord): readonly RawRecord[] {
  if (kind === RecordKind.snapshot) return third as RawRecord[];
  return kind === RecordKind.compacted ? (second as RawRecord[]) : [];
}

/** A record's part is a blob itself, or the `ended` record whose output is one. */
function hashesIn(part: unknown): string[] {
  const own = blobHash(part);
  if (own !== undefined) return [own];
  const output = typeof part === "object" && part !== null && "output" in part ? blobHash(part.output) : undefined;
  return output === undefined ? [] : [output];
}

function blobHash(stored: unknown): string | undefined {
  if (typeof stored !== "object" || stored === null || !Object.hasOwn(stored, "$b")) return undefined;
  const { $b: hash } = stored as { $b: unknown };
  return typeof hash === "string" ? hash : undefined;
}

/** Hashes of the blobs that records name. Inside of a text every quote is escaped: there it looks otherwise. */
export function blobsNamed(records: readonly string[]): string[] {
  const found = records.flatMap((record) => Array.from(record.matchAll(/\{"\$b":"([0-9a-f]{64})"\}/g)));
  return [...new Set(found.map(([, hash]) => hash as string))];
}

/** The blob, which is what its name says. */
export async function blobBytes(backend: BlobSource, runId: string, hash: string): Promise<Uint8Array> {
  const bytes = await backend.getBlob(hash);
  if (bytes === undefined) throw journalCorrupt(runId, `the blob ${hash} that a record names is missing`);
  if (systemSha256(bytes) !== hash) throw journalCorrupt(runId, `the blob ${hash} does not match its name`);
  return bytes;
}
