import { errorOf } from "../../base/error.ts";
import type { JournalRow, RunRow } from "../../ports/backend.ts";
import type { Note } from "../../ports/inbox.ts";
import { RunWatchers } from "../../ports/run-watchers.ts";
import type { Entry } from "../../ports/store.ts";
import type { CarriedRow } from "../../ports/thread.ts";

/** What the handles on one store share. */
export interface Store {
  /** In the order of creation. */
  readonly runs: Map<string, StoredRun>;
  readonly blobs: Map<string, StoredBlob>;
  readonly liveOwners: Set<string>;
  readonly carried: Map<string, CarriedRow[]>;
  readonly listeners: Set<() => void>;
  readonly watchers: RunWatchers;
  readonly entries: Entries;
  /** The id of the last note that was stored. */
  lastNote: number;
}

/** Of the store, by place: its bytes as a text of one character each, which compares as they do. */
export interface Entries {
  readonly byPlace: Map<string, Entry>;
  /** Of `byPlace`, in order. */
  readonly places: string[];
}

export interface StoredRun {
  row: RunRow;
  journal: JournalRow[];
  readonly notes: StoredNote[];
  readonly blobs: Set<string>;
  /** When its present owner took it. */
  claimedAt: number;
  /** Its last record then. */
  claimedSeq: number;
  /** Nobody but who names it gets it before. */
  holdUntil: number;
}

export interface StoredNote {
  readonly note: Note;
  handled: boolean;
}

export interface StoredBlob {
  readonly bytes: Uint8Array;
  readonly storedAt: number;
}

export function newStore(): Store {
  const empty = { runs: new Map(), blobs: new Map(), liveOwners: new Set<string>(), carried: new Map() };
  return { ...empty, listeners: new Set(), watchers: new RunWatchers(), entries: newEntries(), lastNote: 0 };
}

export function newEntries(): Entries {
  return { byPlace: new Map(), places: [] };
}

export function isOwned(store: Store, { owner }: RunRow): boolean {
  return owner !== null && store.liveOwners.has(owner);
}

/** Tells those who wait, after the call that gave them something is over. */
export function hint(store: Store): void {
  for (const listener of store.listeners) queueMicrotask(listener);
}

export function copyBytes(bytes: Uint8Array): Uint8Array {
  // A copy by the constructor: `slice` of a Buffer would share its memory.
  return new Uint8Array(bytes);
}

export function copyRow(row: JournalRow): JournalRow {
  return { firstSeq: row.firstSeq, count: row.count, bytes: copyBytes(row.bytes), chain: row.chain };
}

export function copyNote(note: Note): Note {
  const { id, runId, kind, key, bytes, by, at } = note;
  return { id, runId, kind, key, bytes: copyBytes(bytes), by, at };
}

export function checkId(id: string): void {
  if (!id.isWellFormed()) throw errorOf("InvalidRunId", { id: JSON.stringify(id) });
}
