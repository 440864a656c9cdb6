/** What a reader of a run is given, by mode. */
import type { Output } from "../../model/ref.ts";
import type { RunResult } from "../api.ts";

/**
 * `updates`: every named node's value as it resolves. `values`: the output so far, whenever a part of it resolved.
 * `tasks`: what becomes of every op call. `custom`: what the graph emits. `interrupts`: questions and answers.
 * `output`: the parts of the output as they resolve, and the result at the end.
 */
export type StreamMode = "updates" | "values" | "tasks" | "custom" | "interrupts" | "output";

interface InRun {
  /** With a backend the journal's sequence number, else the step's. Never falls; several events may share one. */
  readonly seq: number;
  /** How many events of that number the reader was given, this one included: with `seq` its place in the stream. */
  readonly part: number;
}

interface OfNode extends InRun {
  /** Scoped name. */
  readonly node: string;
  /** Where in the run: `nightly/listDocs[3]/parse`. */
  readonly path: string;
  /**
   * Present on what comes of the items of an ephemeral generator, and on events of tasks of state graphs, until those are through: it is
   * not in the journal, has no place of its own (`seq` and `part` are those of what came before it), and is told to those who read
   * from the first one on. Events of a task are recorded when that is through; who was not told them then is told them then.
   */
  readonly durable?: false;
  /** With `durable: false`: the path of that generator or task. A `reset` with this path makes it void; that it finished makes it stand. */
  readonly of?: string;
  /**
   * Everything since the last `reset` that is `of` this path is void: the generator begins again, in this process or in
   * another, or comes to nothing. In `updates` and `custom`, where `value` is undefined then; in `tasks` it is a `task`.
   */
  readonly reset?: true;
}

export interface UpdateEvent extends OfNode {
  readonly mode: "updates";
  readonly value: unknown;
}

export interface ValuesEvent<O = unknown> extends InRun {
  readonly mode: "values";
  /** The parts that are there; an output that is one value comes whole. */
  readonly values: Partial<Output<O>>;
}

export type Task =
  /** `attempt`: 1 for the first try. */
  | { readonly task: "started"; readonly attempt: number }
  /** One item of a generator, from index 0. */
  | { readonly task: "yielded"; readonly attempt: number; readonly index: number; readonly value: unknown }
  /** `retrying`: another attempt follows at `retryAt`, milliseconds since 1970, UTC. */
  | {
      readonly task: "failed";
      readonly attempt: number;
      readonly retrying: boolean;
      readonly retryAt: number | null;
      readonly code: string;
      readonly type: string;
      readonly message: string;
    }
  /** `cached`: its output was kept from an equal call, and no attempt was `started` for it; `attempt` is 0 then. */
  | { readonly task: "finished"; readonly attempt: number; readonly cached?: true }
  /** Of an ephemeral generator: what its items led to is void. */
  | { readonly task: "reset"; readonly attempt: number }
  /** `because`: the node whose failure is behind it; `at`: the path of that failure. */
  | { readonly task: "skipped"; readonly because: string; readonly at: string }
  /** It will not run: its item was filtered or dropped, it was cancelled, or the other branch was taken. */
  | { readonly task: "absent" | "swept" | "untaken" };

export type TaskEvent = OfNode & { readonly mode: "tasks" } & Task;

export interface CustomEvent extends OfNode {
  readonly mode: "custom";
  /** What the body of a task called it (`run.emit`); absent: it was yielded, or comes from an `emit` of the graph. */
  readonly name?: string;
  /**
   * Of an event of a task: its place among those of the task, from 0. A reader that comes back when the task is through is told them
   * all, with their indices: those it has had it can tell by them, if no `reset` made them void.
   */
  readonly index?: number;
  readonly value: unknown;
}

export type InterruptEvent = OfNode & { readonly mode: "interrupts"; readonly id: string } & (
    | { readonly interrupt: "asked"; readonly payload: unknown }
    | { readonly interrupt: "answered" | "defaulted"; readonly answer: unknown }
    | { readonly interrupt: "withdrawn" }
  );

export type OutputEvent<O = unknown> = InRun & { readonly mode: "output" } & (
    | {
        /** A part of the output record; absent when the output is one value. */
        readonly key?: string;
        readonly value: unknown;
      }
    /** Always the last event. */
    | { readonly result: RunResult<O> }
  );

export type StreamEvent<O = unknown> =
  | UpdateEvent
  | ValuesEvent<O>
  | TaskEvent
  | CustomEvent
  | InterruptEvent
  | OutputEvent<O>;

/** Of an ephemeral generator: what was given of its items is void, and comes again from the first. */
export interface Reset {
  readonly node: string;
  readonly path: string;
}

export interface ItemsOptions {
  /** Called when an ephemeral generator begins again. Default: the loop throws `StreamReset` instead. */
  readonly onReset?: (reset: Reset) => void;
}

/** Any event is one. */
export interface Place {
  readonly seq: number;
  readonly part: number;
}

export interface StreamOptions {
  /**
   * Only what comes behind this event, which an earlier reader of the same modes was given last, or behind all events of
   * this sequence number. Default 0: from the start of the run.
   */
  readonly after?: number | Place;
  /** Leaving the loop early cancels the run. Default false: the run goes on without this reader. */
  readonly cancelOnBreak?: boolean;
  /**
   * Events kept for a reader that is slower than its run. Default 16,384. With a backend a reader that falls behind reads
   * the rest from the journal, which has all but the starts of attempts that came to nothing; without one it gets what was
   * kept, and then `StreamOverflow`.
   */
  readonly buffer?: number;
  /** Ends the reading: the loop throws the signal's reason. The run goes on, unless leaving the loop cancels it. */
  readonly signal?: AbortSignal;
}

/** A live reading of one run: read once, by one reader. */
export interface RunStream<E> extends AsyncIterableIterator<E, undefined> {
  /** The same as a web stream; cancelling it is leaving the loop. */
  toReadable(): ReadableStream<E>;
}
