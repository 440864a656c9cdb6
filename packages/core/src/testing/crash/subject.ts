/** What a crash harness tries: a store, and runs that are brought to their end on it. */
import type { Interrupt } from "../../events/interrupt.ts";
import type { Provision } from "../../engine/provide.ts";
import type { Runnable } from "../../model/op.ts";
import type { Backend } from "../../ports/backend.ts";

/** The default export of the module that `crashHarness` is given. Every process loads it anew. */
export interface CrashSubject {
  /** One more handle on the store at a place: a folder, or what `place` of the harness makes of a number. */
  connect(place: string): Backend | Promise<Backend>;
  readonly runs: readonly CrashRun[];
  /** What the ops of the graphs need. */
  resources?(): readonly Provision[];
  /** What a question is answered with. Default: a body in doubt runs again. */
  answer?(question: Interrupt): unknown;
}

export interface CrashRun {
  readonly id: string;
  readonly graph: Runnable<never, unknown>;
  readonly input: unknown;
}
