/** What is simulated: a graph, as each process of the world is given it. */
import type { Interrupt } from "../../events/interrupt.ts";
import type { Provision } from "../../engine/provide.ts";
import type { Runnable } from "../../model/op.ts";
import type { Plan } from "../../model/plan.ts";
import type { Backend } from "../../ports/backend.ts";
import type { Durability } from "../../runtime/outcome.ts";
import type { RunState } from "../../state/run-state.ts";
import type { Machine, Process } from "./process.ts";

export interface Subject {
  readonly plan: Plan;
  /** Functions that may say another thing in every life of a run. */
  readonly fickle: ReadonlySet<unknown>;
  /** An uninterrupted run comes to the same: nothing in its outcome shows the order of events. */
  readonly orderFree: boolean;
  /** Of the run with that number, from 0. */
  input(run: number): unknown;
  readonly errors: "record" | "raise";
  readonly context: unknown;
  /** What a question is answered with; undefined: its time limit decides. */
  answer(question: Interrupt, luck: number): unknown;
  /** As this process runs it: its bodies are watched. */
  runnable(process: Process): Runnable<unknown, unknown>;
  resources(machine: Machine): readonly Provision[];
  /** What every process is given the store through. */
  wrap(store: Backend): Backend;
}

export interface CaseSettings {
  readonly seed: number;
  readonly workers: number;
  readonly runs: number;
  readonly durability: Durability;
  readonly concurrency: number | undefined;
  readonly runConcurrency: number | undefined;
  /** A snapshot with every commit; false: none. */
  readonly snapshots: boolean;
  /** Records that a journal may have; absent: as many as there are. */
  readonly maxRecords: number | undefined;
  /** Look at idempotency keys: a hash per body. */
  readonly keys: boolean;
  /** Read runs along, and compare with what their journals say. */
  readonly reads: boolean;
  /** Called after every step that is no replay; a throw is a fault. */
  readonly check: ((run: RunState) => void) | null;
}
