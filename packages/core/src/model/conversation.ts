/**
 * A body that talks with the run it is in: its items are calls, and it is told what each of them came to. What the runtime
 * and the body of a workflow know of each other.
 */
import type { OpError } from "../events/record.ts";

/** What `Call.call` says when nothing is called: the call whose number is the input is given up. */
export const GIVEN_UP = "";

/** A call, as it is recorded. */
export interface Call {
  /** What is called: an arm of the workflow's graph; or `GIVEN_UP`. */
  readonly call: string;
  readonly input: unknown;
  /** A name that its author gave to this call of it. */
  readonly name?: string;
  /** What the body was told between the call before and this one: numbers of calls, in their order. */
  readonly told?: readonly number[];
  /** What `now` gave meanwhile: milliseconds since 1970. */
  readonly now?: readonly number[];
  /** What the body's random numbers begin with, if it drew any up to here. */
  readonly seed?: string;
}

/** What a call came to. */
export type Delivery =
  | { readonly call: number; readonly ok: true; readonly value: unknown }
  | { readonly call: number; readonly ok: false; readonly value: OpError };

/** What a body is told by the runtime, and tells it. */
export interface Listener {
  readonly runId: string;
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * What is given to a call as it is now, whatever becomes of it: as the journal will give it back.
   *
   * @throws MillraceError `Unencodable`, naming the path from `what` on
   */
  copy(value: unknown, what: string): unknown;
  /** Differs by run and place. */
  seed(): string;
  /** The body made a call, or is over, although it was told nothing. */
  stirred(): void;
  /** The body is over, and what it does now is lost. */
  lost(error: Error): void;
}

/** A call that the body made and that is not recorded yet; `told` is not known to it. */
export type MadeCall = Omit<Call, "told">;

export interface Conversation {
  /** Begins the body. `recorded`: what its calls were when it was here before. */
  begin(recorded: readonly Pick<Call, "now" | "seed">[]): void;
  /** The next call that it made; undefined: it has made no more. They are numbered from 0 as they are taken. */
  take(): MadeCall | undefined;
  /** Whether it waits for that call. */
  expects(call: number): boolean;
  tell(delivery: Delivery): void;
  /** Whether calls are open that it waits for. */
  readonly waits: boolean;
  /** It is at rest: a call that it makes before it is told something comes from elsewhere. */
  rest(): void;
  /** Null: it goes on. */
  readonly over:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: unknown }
    | null;
  /** Nobody listens any more: nothing of it is held, and nothing that it waits for comes. */
  close(): void;
}
