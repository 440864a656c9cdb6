import type { ErrorCode } from "../../base/messages.generated.ts";
import type {
  BackendStats,
  ClaimRequest,
  Compaction,
  CompactResult,
  CreateResult,
  JournalRow,
  NewRun,
  PruneRequest,
  Pruned,
  RestoreResult,
  RunFilter,
  RunRow,
  RunStatus,
} from "../../ports/backend.ts";
import type { Fenced, FenceRequest } from "../../ports/fence.ts";
import type { Note, Post, PostResult, RestoredNote, StoredNote } from "../../ports/inbox.ts";
import type { Entry, NewEntry } from "../../ports/store.ts";
import type { CarriedRow } from "../../ports/thread.ts";

/**
 * What the two threads say to each other. Both sides gather: one message holds every request of a tick, or every answer
 * of a commit. All bytes of a message travel in one transferred buffer, in the order of the requests that own them.
 */
export interface RequestMessage {
  readonly requests: readonly Request[];
  readonly bytes: Uint8Array;
}

export interface AnswerMessage {
  /** Requests that succeeded and have nothing to tell: appends above all. */
  readonly done: readonly number[];
  readonly answers: readonly (readonly [id: number, answer: unknown])[];
  readonly failures: readonly (readonly [id: number, failure: Failure])[];
  /** Something may have come for whoever is interested: see `Backend.onHint`. */
  readonly hint: boolean;
}

export type Request = PlainAppend | ChangingAppend | Command;

/** An append that adds a row and changes nothing else: a flat tuple clones several times faster than named fields. */
export type PlainAppend = readonly [
  id: number,
  byteLength: number,
  runId: string,
  epoch: number,
  firstSeq: number,
  count: number,
  chain: number,
  at: number,
];

/** Every other append, as flat as it can be: each run ends with one. */
export type ChangingAppend = readonly [
  ...plain: PlainAppend,
  status: RunStatus | null,
  release: boolean,
  fingerprint: string | null,
  wakeAt: number | null,
  more: MoreOfAppend | null,
];

/** What few appends have. */
export interface MoreOfAppend {
  readonly handled: readonly Pick<Note, "kind" | "key">[];
  readonly blobs: readonly string[];
  /** The last `byteLength` bytes of the request; those before are the row's. */
  readonly carry: { readonly whole: boolean; readonly byteLength: number } | null;
}

/** Every other request by name: what it takes, and what it answers. */
export interface Commands {
  open: { takes: { readonly owner: string }; answers: SqliteSettings };
  create: {
    takes: { readonly run: Omit<NewRun, "first">; readonly first: Omit<JournalRow, "bytes"> };
    answers: CreateResult;
  };
  noteSnapshot: { takes: { readonly runId: string; readonly seq: number }; answers: undefined };
  compact: { takes: Omit<Compaction, "row"> & Pick<JournalRow, "count" | "chain">; answers: CompactResult };
  claim: { takes: ClaimRequest; answers: RunRow[] };
  post: { takes: Omit<Post, "bytes">; answers: PostResult };
  reject: { takes: Pick<Note, "runId" | "id">; answers: undefined };
  prune: { takes: PruneRequest; answers: Pruned };
  release: {
    takes: { readonly runId: string; readonly epoch: number; readonly unbegun: boolean };
    answers: undefined;
  };
  putBlob: { takes: { readonly hash: string }; answers: undefined };
  get: { takes: { readonly runId: string }; answers: RunRow | undefined };
  list: { takes: RunFilter; answers: RunRow[] };
  read: { takes: { readonly runId: string; readonly fromSeq: number }; answers: PackedPage };
  getBlob: { takes: { readonly hash: string }; answers: Uint8Array | undefined };
  inbox: { takes: { readonly runId: string }; answers: Note[] };
  arrivals: { takes: { readonly limit: number }; answers: string[] };
  carried: {
    takes: { readonly thread: string; readonly upTo: number | null; readonly from: number };
    answers: CarriedRow[];
  };
  notes: { takes: { readonly runId: string }; answers: StoredNote[] };
  restore: { takes: Restore; answers: RestoreResult };
  requeue: { takes: { readonly runId: string; readonly at: number }; answers: boolean };
  fenceAll: { takes: FenceRequest; answers: Fenced };
  living: { takes: { readonly owners: readonly string[] }; answers: string[] };
  /** The bytes are the place; of a put the value behind it, of a scan both its ends. */
  getEntry: { takes: undefined; answers: Entry | undefined };
  scanEntries: { takes: { readonly afterLength: number; readonly limit: number }; answers: Entry[] };
  writeEntry: { takes: WriteEntry; answers: undefined };
  expireEntries: { takes: { readonly limit: number }; answers: number };
  integrity: { takes: undefined; answers: string[] };
  vacuum: { takes: undefined; answers: SqliteSizes };
  stats: { takes: undefined; answers: BackendStats };
  /** From now on this worker looks for what others wrote, and hints at it. */
  watch: { takes: undefined; answers: undefined };
  close: { takes: undefined; answers: undefined };
}

export type CommandName = keyof Commands;

export type Command = { [Name in CommandName]: CommandOf<Name> }[CommandName];

export interface CommandOf<Name extends CommandName> {
  readonly id: number;
  readonly byteLength: number;
  readonly name: Name;
  readonly input: Commands[Name]["takes"];
}

export type WriteEntry =
  | (Pick<NewEntry, "ttlMs" | "refresh"> & { readonly type: "put"; readonly placeLength: number })
  | { readonly type: "delete" | "touch" };

/** The bytes of journal, notes and carried rows stand end to end, in this order. */
export interface Restore {
  readonly row: RunRow;
  readonly journal: readonly WithLength<JournalRow>[];
  readonly notes: readonly WithLength<RestoredNote>[];
  readonly carried: readonly WithLength<CarriedRow>[];
  readonly blobs: readonly string[];
}

export type WithLength<T> = Omit<T, "bytes"> & { readonly byteLength: number };

/** Bytes of the file and its log, before and after. */
export interface SqliteSizes {
  readonly before: number;
  readonly after: number;
}

/** Some rows of a journal: four numbers each (firstSeq, count, chain, byteLength), and their bytes end to end. */
export interface PackedPage {
  readonly rows: readonly number[];
  readonly bytes: Uint8Array;
  /** Where the next page starts, or null after the last row. */
  readonly next: number | null;
}

/** A `MillraceError` on its way between threads. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  /** What SQLite or the file system said. */
  readonly detail?: string | undefined;
}

/** How the database was found to be set, after opening it. */
export interface SqliteSettings {
  readonly file: string;
  readonly journalMode: string;
  /** 0 off, 1 normal, 2 full. */
  readonly synchronous: number;
  readonly schemaVersion: number;
  /** Of the file as it was found: lower when it was brought to `schemaVersion` now, 0 when it was empty. */
  readonly foundVersion: number;
}

/** Given to the worker when it starts. */
export interface WorkerOptions {
  readonly file: string;
  readonly synchronous: "full" | "normal" | "off";
  /** Milliseconds. */
  readonly busyTimeout: number;
  readonly maxBytes: number | undefined;
}
