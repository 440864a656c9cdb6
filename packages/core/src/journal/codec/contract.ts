// The wire form. A value that is pure JSON is written as itself. Any other is written as `{"$t": form}`; inside the form
// every object with an own "$t" is tagged: `{"$t": <tag>, "v": <what the tag needs>}`, and a plain object that happens to
// have such a key is itself written under the tag "object". So one own-key check at the top tells the two apart, and
// nothing in user data can be taken for a tag. Tags and their shapes are frozen: journals of every release are read.

import type { Segment } from "./path.ts";
import type { Registry } from "./registry.ts";

/** Key that marks a tagged form. */
export const TAG_KEY = "$t";
/** Key that marks a reference to a blob, in the place of a value. Written and resolved by the journal, never by the codec. */
export const BLOB_KEY = "$b";
/** Containers inside each other, in values and in forms. Bounds the stack that either direction needs. */
export const MAX_DEPTH = 512;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What writing a value offers to the types. */
export interface Writing {
  readonly registry: Registry | undefined;
  /** Whether the stack of an error is written; it is no part of a value's identity. */
  readonly stacks: boolean;
  /** Writes a part; `segment` says how it is reached. */
  child(segment: Segment, value: unknown): Json;
  /** Accounts for text that a type writes itself, so that a value too large fails before it is built. */
  spend(characters: number): void;
  /** The error for a part that cannot be kept; to be thrown. */
  unencodable(segment: Segment | undefined, what: string, hint?: string): Error;
}

/** What reading a form offers to the types. */
export interface Reading {
  readonly registry: Registry | undefined;
  child(form: unknown): unknown;
}

/**
 * One type of value, both directions in one place.
 *
 * T1  `read(write(x))` is `x` in type and value; `write(read(f))` is `f` for every form that `write` makes.
 * T2  `read` is total: it answers or throws `JournalCorrupt`. It creates values only with the constructors named in its
 *     file, and runs no code that data could choose.
 */
export interface ValueType {
  readonly tag: string;
  /** Values with exactly this prototype are of this type. Absent: a rule in `write.ts` decides. */
  readonly prototype?: object;
  /** What stands under "v". */
  write(value: unknown, writing: Writing): Json;
  read(form: unknown, reading: Reading): unknown;
}
