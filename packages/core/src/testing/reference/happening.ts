/** The records of a journal, decoded: what the interpreter is told, one at a time. */
import type { At, BrokenOff, ErrorEntry, Settled } from "../../events/record.ts";
import type { Cause } from "./failures.ts";

/** What a record says of one sleep or question. */
export type WaitHappening =
  | { readonly kind: "timerSet"; readonly slot: number; readonly at: At; readonly due: number }
  | { readonly kind: "fired"; readonly slot: number; readonly at: At }
  | {
      readonly kind: "asked";
      readonly slot: number;
      readonly at: At;
      readonly due: number | null;
      readonly payload: unknown;
      readonly path: string;
      /** It is about a body in doubt, for the how manieth time; 0: a question of the graph. */
      readonly doubt: number;
    }
  | {
      readonly kind: "answered";
      readonly slot: number;
      readonly at: At;
      readonly by: string;
      readonly value: unknown;
    };

/** What a record says of the items of an ephemeral generator. */
export type EphemeralHappening = {
  readonly slot: number;
  readonly at: At;
  /** What happened among the items since the last record of that kind, which nothing records; absent: nobody saw it. */
  readonly asides?: readonly Happening[] | undefined;
} & (
  | { readonly kind: "settled"; readonly settled: Settled }
  | { readonly kind: "brokenOff"; readonly broken: BrokenOff }
);

export type Happening =
  | EphemeralHappening
  | WaitHappening
  | { readonly kind: "withdrawn"; readonly slot: number; readonly at: At }
  | {
      readonly kind: "started";
      readonly input: unknown;
      readonly errors: "record" | "raise";
      readonly forked?: boolean;
    }
  | { readonly kind: "output"; readonly slot: number; readonly at: At; readonly value: unknown }
  | { readonly kind: "frame"; readonly slot: number; readonly at: At; readonly value: unknown }
  | { readonly kind: "eof"; readonly slot: number; readonly at: At; readonly value: unknown }
  | {
      readonly kind: "attemptFailed";
      readonly slot: number;
      readonly at: At;
      readonly attempt: number;
      readonly retryAt: number | null;
      readonly error: Cause;
    }
  | { readonly kind: "dropped"; readonly slot: number; readonly at: At; readonly index: number }
  | { readonly kind: "decision"; readonly slot: number; readonly at: At; readonly choice: number }
  | {
      readonly kind: "resumed";
      readonly epoch: number;
      readonly inFlight: readonly (readonly [number, At])[];
      /** When it was found that the owner before had died; 0: it had not. */
      readonly crashed: number;
    }
  | {
      readonly kind: "unsafeStart";
      readonly slot: number;
      readonly at: At;
      readonly attempt: number;
      readonly startedAt: number;
    }
  | { readonly kind: "timerSet"; readonly slot: number; readonly at: At; readonly due: number }
  | { readonly kind: "deadlineSet"; readonly slot: number; readonly at: At; readonly due: number }
  | { readonly kind: "kept" }
  | { readonly kind: "snapshot" }
  | { readonly kind: "cellSet"; readonly cell: string; readonly value: unknown }
  | { readonly kind: "finalizerOver"; readonly slot: number }
  | { readonly kind: "cancelRequested"; readonly reason: string }
  | { readonly kind: "stopped"; readonly code: string; readonly message: string }
  | { readonly kind: "drainRequested" }
  | {
      readonly kind: "ended";
      readonly status: string;
      readonly output: unknown;
      readonly errors: readonly ErrorEntry[];
      /** When it was written, and when a parked run is to go on by itself. */
      readonly at?: number;
      readonly wake?: number | undefined;
    };

/** What a record says of one invocation. */
export type Answer = Extract<Happening, { kind: "output" | "frame" | "eof" | "attemptFailed" }>;
