/**
 * The journal as a runner sees it. Null in a run without a backend: then nothing here costs anything.
 *
 * J1  Records are written in the order of the steps that made them, and `durable` only grows.
 * J2  What a runner is told to be durable is on disk as the backend was configured.
 */
import type { RunEnd, RunState } from "../state/run-state.ts";
import type { Note, NoteKind } from "../ports/inbox.ts";
import type { Event } from "../scheduler/event.ts";

/** It is ours to say, by the note with that id; or who said it first. */
export type Claimed = { readonly type: "ours"; readonly id: number } | { readonly type: "taken"; readonly note: Note };

export interface Recorder {
  /** Sequence number up to which records are durable. */
  readonly durable: number;
  /** More is written and not yet durable than should be: start nothing new. */
  readonly congested: boolean;
  /** Why the run must end, for what is recorded of it; null: it may go on. */
  readonly full: { readonly code: string; readonly message: string } | null;
  /** False: the lease on the run may have lapsed, so that nothing may be started before it is renewed. */
  readonly alive: boolean;
  /**
   * Claims something that may be said of the run only once, before it is recorded, against everybody who may say it in
   * another process.
   */
  claim(kind: NoteKind, key: string, encoded: string, by: string): Promise<Claimed>;
  /**
   * What was claimed is in the record that is written in this very turn: it counts as taken up once that is durable. Said
   * with a gap between the two, a commit in the gap would lose it.
   */
  taken(kind: NoteKind, key: string): void;
  /** The note with that id turned out to mean nothing: it may be said again. */
  takeBack(id: number): void;
  /** The journal's form of a value; throws `Unencodable` naming the path, from `what` on. */
  encode(value: unknown, what: string): string;
  /** The record of an event that `step` just took, and those that the step made. */
  record(run: RunState, event: Event, encoded: string): void;
  /** Throws `Unencodable`, and records nothing, when the output, or what the run leaves to its thread, cannot be kept. */
  recordEnd(run: RunState, end: RunEnd): void;
  /** And begins to make it durable. `queued`: any engine may go on with it, at once; else it is held until somebody says so. */
  recordDrained(run: RunState, queued: boolean): void;
  /** The same. The run waits for answers and leaves this process; `wake`: when its first timer is due. */
  recordParked(run: RunState, wake: number | null): void;
  /** Begins to make everything recorded so far durable; under `exit` durability what `wanted`, or a rest, calls for, and complete rows. */
  flush(): void;
  /** Somebody outside waits until what is recorded so far is durable: it is written, whatever the durability. */
  wanted(): void;
  /** The run is left as it stands, and nothing more is recorded: resolves when what is recorded is durable, or cannot be. */
  leave(): Promise<void>;
  /** The recorded items of a generator that was open at a crash; read as they are asked for. */
  recordedItems(slot: number, address: string): AsyncIterator<unknown>;
  /** One of these items, from 0. */
  recordedItem(slot: number, address: string, index: number): Promise<unknown>;
  /** Equal for values that encode alike. */
  hash(value: unknown): string;
}

/** What a recorder tells its runner. */
export interface RecorderListener {
  onDurable(): void;
  /** The run is no longer ours, or the backend failed for good: nothing of the state may be used any more. */
  onLost(error: Error): void;
}
