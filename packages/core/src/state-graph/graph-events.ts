/** What a reader of a state graph's run is given, superstep by superstep. */
import type { Interrupt } from "../events/interrupt.ts";
import type { ErrorEntry } from "../events/record.ts";
import type { RunResult } from "../engine/api.ts";

/** Any event is one: who read up to it reads on behind it. */
export interface GraphPlace {
  readonly seq: number;
  readonly part: number;
  readonly piece: number;
}

interface OfNode<N> extends GraphPlace {
  readonly node: N;
  /** The task, by its path in the run: `agent/superstep#2/task[0]/node/think`. */
  readonly task: string;
}

/** `S`: the state, `U`: its updates, `N`: names of the nodes. */
type Inside<S, U, N> =
  /** The body begins, for the first time or again with an answer. */
  | (OfNode<N> & { readonly event: "started" })
  /** What the body told. It is void when a `reset` of its task comes before that is `finished`. */
  | (OfNode<N> & {
      readonly event: "custom";
      /** Absent: it was yielded. */
      readonly name?: string;
      readonly value: unknown;
      /** Among those of its task, from 0: one that came before it was recorded may come again, to who comes back. */
      readonly index: number;
    })
  | (OfNode<N> & { readonly event: "reset" })
  /** An attempt failed, and another one follows at `retryAt`, milliseconds since 1970, UTC. */
  | (OfNode<N> & {
      readonly event: "retrying";
      readonly attempt: number;
      readonly retryAt: number | null;
      readonly error: { readonly code: string; readonly message: string };
    })
  /** What the task writes, in order; folded when the superstep is over. */
  | (OfNode<N> & { readonly event: "updates"; readonly updates: readonly U[] })
  | (OfNode<N> & { readonly event: "finished" })
  | (OfNode<N> & { readonly event: "failed"; readonly error: { readonly code: string; readonly message: string } })
  | (OfNode<N> & { readonly event: "asked"; readonly question: string; readonly id: string; readonly payload: unknown })
  /** `withdrawn`: there is no answer, and none is waited for any more. */
  | (OfNode<N> & {
      readonly event: "answered";
      readonly question: string;
      readonly id: string;
      readonly as: "answered" | "defaulted" | "withdrawn";
      readonly answer?: unknown;
    })
  /** The input is merged (step 0 of a new thread), or a superstep is over: the state, and what comes next. */
  | (GraphPlace & { readonly event: "values"; readonly step: number; readonly state: S; readonly next: readonly N[] });

type Ending<S> =
  /** The turn waits, for answers or at a breakpoint. */
  | (GraphPlace & {
      readonly event: "interrupted";
      readonly interrupts: readonly Interrupt[];
      readonly errors: readonly ErrorEntry[];
    })
  /** The turn is over, whatever it came to. */
  | (GraphPlace & { readonly event: "ended"; readonly result: RunResult<S> });

/**
 * `within`: present on what happens in state graphs that are nodes of this one: the names of these nodes, from the outermost
 * inward.
 */
export type GraphEvent<S = unknown, U = unknown, N extends string = string> =
  | ((Inside<S, U, N> | Ending<S>) & { readonly within?: never })
  | (Inside<unknown, unknown, string> & { readonly within: readonly [N, ...string[]] });

export interface GraphEventsOptions {
  /** Only what comes behind this event, which an earlier reader was given last. Default: from the start of the run. */
  readonly after?: GraphPlace;
  /** Leaving the loop early cancels the run. Default false. */
  readonly cancelOnBreak?: boolean;
  /** As of any stream of a run. Default 16,384. */
  readonly buffer?: number;
  /** Ends the reading: the loop throws the signal's reason. */
  readonly signal?: AbortSignal;
}
