/**
 * Live inputs: streams whose items come from outside while the run goes on. What was sent is journaled like the items of
 * any generator; who sends it is gone after a crash, so a run with an open one cannot be resumed.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import { SlotKind, type SlotPlan } from "../model/plan.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import type { Runner } from "./runner.ts";
import { validate } from "./validate.ts";

/** Items that were sent and not taken, above which a sender waits. */
const LIMIT = 1_024;

/** One live input of one run. */
class LivePort implements AsyncIterableIterator<unknown> {
  readonly #waiting: unknown[] = [];
  readonly #senders: ((taken: boolean) => void)[] = [];
  #taker: ((result: IteratorResult<unknown>) => void) | null = null;
  #ended = false;

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves when there is room for the next one; to false when the run wants no more and never took it. */
  send(item: unknown): Promise<boolean> {
    const taker = this.#taker;
    if (taker !== null) {
      this.#taker = null;
      taker({ done: false, value: item });
      return Promise.resolve(true);
    }
    this.#waiting.push(item);
    if (this.#waiting.length <= LIMIT) return Promise.resolve(true);
    return new Promise((resolve) => this.#senders.push(resolve));
  }

  get over(): boolean {
    return this.#ended;
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#waiting.length > 0) {
      const value = this.#waiting.shift();
      this.#senders.shift()?.(true);
      return Promise.resolve({ done: false, value });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => (this.#taker = resolve));
  }

  /** No more will be sent; what is there is still given. */
  end(): void {
    this.#ended = true;
    this.#taker?.({ done: true, value: undefined });
    this.#taker = null;
  }

  /** The run wants no more. */
  return(): Promise<IteratorResult<unknown>> {
    this.end();
    this.#waiting.length = 0;
    for (const sender of this.#senders.splice(0)) sender(false);
    return Promise.resolve({ done: true, value: undefined });
  }
}

const ports = new WeakMap<Runner, Map<string, LivePort>>();

/** The live input of that node; made by whoever asks first, the sender or the graph. */
function portOf(runner: Runner, node: string): LivePort {
  let known = ports.get(runner);
  if (known === undefined) ports.set(runner, (known = new Map()));
  let port = known.get(node);
  if (port === undefined) known.set(node, (port = new LivePort()));
  return port;
}

export function itemsOfPort(runner: Runner, slot: SlotPlan): AsyncIterableIterator<unknown> {
  return portOf(runner, slot.name);
}

/**
 * Sends an item that passes the input's schema; resolves when there is room for the next one.
 *
 * @throws MillraceError `InvalidValue`, `NoSuchInput`, `InputEnded`; `EngineClosed`, `LeaseLost` when the run went on elsewhere
 */
export async function sendInto(runner: Runner, name: string, item: unknown): Promise<void> {
  openPort(runner, name);
  const schema = schemaOf(runner, name);
  const valid = schema === null ? item : await validate(schema, item, `an item of live input "${name}"`);
  if (!(await openPort(runner, name).send(valid))) throw ended(runner, name);
}

/** An input of a run that this engine lost has not ended: the run may be going on elsewhere. */
function ended({ lost, state }: Runner, name: string): Error {
  return lost ?? errorOf("InputEnded", { input: name, runId: state.runId });
}

function schemaOf(runner: Runner, name: string): StandardSchemaV1 | null {
  return runner.state.program.plan.slots.find((slot) => slot.name === name)?.op?.live?.item ?? null;
}

/**
 * The port to send into.
 *
 * @throws MillraceError `NoSuchInput`, `InputEnded`
 */
export function openPort(runner: Runner, name: string): LivePort {
  const { slots } = runner.state.program.plan;
  const names = slots.flatMap((slot) => (slot.op?.live === undefined ? [] : [slot.name]));
  if (!names.includes(name))
    throw errorOf("NoSuchInput", { runId: runner.state.runId, input: name, known: knownAs(name, names) });
  const port = portOf(runner, name);
  if (runner.over || port.over) throw ended(runner, name);
  return port;
}

/** @throws MillraceError `NoSuchOutput` */
export function checkLiveOutput({ state }: Runner, name: string): void {
  const names = state.program.plan.slots.flatMap((slot) => (slot.kind === SlotKind.emit ? [slot.name] : []));
  if (!names.includes(name))
    throw errorOf("NoSuchOutput", { runId: state.runId, output: name, known: knownAs(name, names) });
}

function knownAs(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  const all = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  return near === undefined ? all : `did you mean "${near}"? ${all}`;
}

export function notResumable(slot: SlotPlan): MillraceError {
  return errorOf("NotResumable", { input: slot.name });
}
