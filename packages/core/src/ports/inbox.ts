import type { RunRow, RunStatus } from "./backend.ts";

/**
 * What the outside tells a run, from any process: an answer to one of its questions, or the wish that it stops. The insert
 * is the compare-and-set: of all notes with one run, kind and key the first one counts, and a deadline is one of them.
 */
export const noteKinds = ["answer", "cancel", "drain"] as const;
export type NoteKind = (typeof noteKinds)[number];

/** What is said. */
export interface NewNote {
  readonly runId: string;
  readonly kind: NoteKind;
  /** Of an answer: the id of its question. Of a drain: the epoch of the run that is to rest. Of a cancel: empty. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** Who says so; null: not told. */
  readonly by: string | null;
  /** Wall clock of who posted it, milliseconds since 1970, UTC. */
  readonly at: number;
}

export interface Note extends NewNote {
  /** The store's own: no other note of that store has it or gets it, also when this one is taken away. */
  readonly id: number;
}

/** With what became of it. */
export interface StoredNote extends Note {
  /** A record of its run took it up. */
  readonly handled: boolean;
}

/** One that comes from another store, where it had another id. */
export type RestoredNote = Omit<StoredNote, "id">;

/**
 * By kind, the statuses out of which a note wakes a run that nobody drives: an answer lets it go on; whoever comes first
 * ends one that is to be cancelled; one that is to be drained rests already.
 */
export const noteWakes: Readonly<Record<NoteKind, readonly RunStatus[]>> = {
  answer: ["interrupted", "drained"],
  cancel: ["running", "interrupted", "drained", "quarantined", "needs_review"],
  drain: [],
};

export interface Post extends NewNote {
  /** A run without a live owner that stands in one of these becomes `queued`. */
  readonly wakes: readonly RunStatus[];
}

/** `id`: of the new note. `exists`: an earlier note stands, handled or not; nothing was written. */
export type PostResult =
  | { readonly type: "posted"; readonly row: RunRow; readonly id: number }
  | { readonly type: "exists"; readonly note: Note; readonly row: RunRow }
  | { readonly type: "refused"; readonly row: RunRow | undefined };
