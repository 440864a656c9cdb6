/**
 * Bodies that core itself makes around a function of the user, as tasks of state graphs are: what the user wrote is what counts for the
 * keys of the cache, and such a body may tell events while it runs.
 *
 * What it tells is told at once to those who follow the run, and recorded once, with its output: until then it is void when the body
 * begins again, and afterwards it is told to those who come later.
 */

/** What a body told. */
export interface Told {
  /** Absent: the event has none. */
  readonly name?: string;
  readonly value: unknown;
}

/** What the `ctx` of such a body can besides; that of `op.fn` cannot. */
export interface Tells {
  tell(told: Told): void;
}

/** What the output of such a body may have besides what it is. */
export interface Telling {
  readonly told?: readonly Told[];
}

type Fn = (...args: never) => unknown;

const written = new WeakMap<Fn, Fn>();

export function around<F extends Fn>(user: Fn, body: F): F {
  written.set(body, user);
  return body;
}

/** The user's function that `body` was made around; undefined: it was written by the user itself. */
export function writtenIn(body: Fn): Fn | undefined {
  return written.get(body);
}
