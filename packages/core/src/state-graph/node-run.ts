import { errorOf } from "../base/error.ts";
import { isName } from "../base/name.ts";
import type { Tells, Told } from "../model/body-around.ts";
import type { Log } from "../model/log.ts";
import type { OpCtx } from "../model/op.ts";
import type { Store } from "../model/store.ts";
import type { Needs } from "../model/resource.ts";
import type { InferOutput } from "../model/standard-schema.ts";
import type { Questions } from "./shape.ts";
import { answersTo, type TaskInput } from "./task-input.ts";

/** What the body of a node is told about the task it runs in. `Q`: the questions that the node declares. */
export interface NodeRun<Q extends Questions = Questions> {
  readonly runId: string;
  /** The thread that the run belongs to; undefined: to none. */
  readonly thread: string | undefined;
  /** Number of the superstep: 1 for the first one of a new thread. */
  readonly step: number;
  /** Name of the graph, and where in the run: `agent/superstep#2/task[0]/node/think/body`. */
  readonly graph: string;
  readonly path: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** The same over attempts and crashes. Give it to services that deduplicate. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly deadline: number | undefined;
  readonly log: Log;
  readonly context: unknown;
  readonly resources: Readonly<Record<string, unknown>>;
  /** Memory that runs share, as in ops. */
  readonly store: Store;
  /** The last answer to a question that this task asked; undefined: not answered, so it has to be asked. */
  answer<K extends keyof Q & string>(question: K): InferOutput<Q[K]["answer"]> | undefined;
  /** All answers to it, also those that it asked again after. */
  answers<K extends keyof Q & string>(question: K): readonly InferOutput<Q[K]["answer"]>[];
  /** What this task wrote before it asked: it stands, and need not be written again. */
  readonly recorded: readonly unknown[];
  /**
   * Tells whoever follows the run, now: a `custom` event with that name. It is recorded with what the body returns; until then it is void
   * when the task runs again, of which readers are told. A body that is a generator tells what it yields in the same way, without a name.
   *
   * @throws MillraceError `InvalidValue` for a name that is not `[A-Za-z_][A-Za-z0-9_-]{0,63}`
   */
  emit(name: string, value: unknown): void;
  /** Ends the turn when this superstep is over. What its tasks wrote stands, and the next turn goes on from there. */
  cancel(): void;
  /** Whether this task has called `cancel`. */
  readonly isCancelled: boolean;
}

/** Made per task; it holds only what was given, so that a task that needs nothing of it costs nothing. */
export class TaskRun implements NodeRun {
  readonly #input: TaskInput;
  readonly #ctx: OpCtx<Needs>;
  readonly #told: Told[] = [];
  #cancelled = false;

  constructor(input: TaskInput, ctx: OpCtx<Needs>) {
    this.#input = input;
    this.#ctx = ctx;
  }

  get runId(): string {
    return this.#ctx.runId;
  }

  get thread(): string | undefined {
    return this.#ctx.thread;
  }

  get step(): number {
    return this.#input.step;
  }

  get graph(): string {
    return this.#ctx.graph;
  }

  get path(): string {
    return this.#ctx.path;
  }

  get attempt(): number {
    return this.#ctx.attempt;
  }

  get idempotencyKey(): string {
    return this.#ctx.idempotencyKey;
  }

  get signal(): AbortSignal {
    return this.#ctx.signal;
  }

  get deadline(): number | undefined {
    return this.#ctx.deadline;
  }

  get log(): Log {
    return this.#ctx.log;
  }

  get context(): unknown {
    return this.#ctx.context;
  }

  get resources(): Readonly<Record<string, unknown>> {
    return this.#ctx.resources;
  }

  get store(): Store {
    return this.#ctx.store;
  }

  get recorded(): readonly unknown[] {
    return this.#input.recorded.flatMap((step) => ("write" in step ? [step.write] : []));
  }

  get isCancelled(): boolean {
    return this.#cancelled;
  }

  answer(question: string): never {
    return this.answers(question).at(-1) as never;
  }

  answers(question: string): readonly never[] {
    return answersTo(this.#input.answers, question) as readonly never[];
  }

  emit(name: string, value: unknown): void {
    if (!isName(name))
      throw errorOf("InvalidValue", { what: `what ${this.#ctx.node} calls an event`, issues: "it must be a name" });
    this.tell({ name, value });
  }

  tell(told: Told): void {
    this.#told.push(told);
    (this.#ctx as Partial<Tells>).tell?.(told);
  }

  /** What it told by now. */
  get told(): readonly Told[] {
    return this.#told;
  }

  cancel(): void {
    this.#cancelled = true;
  }
}
