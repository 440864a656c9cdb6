/**
 * Live inputs: streams whose items come from outside while the run goes on. What was sent is journaled like the items of
 * any generator; who sends it is gone after a crash, so a run with an open one cannot be resumed.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import { asPromise } from "../base/thenable.ts";
import { SlotKind, type SlotPlan } from "../model/plan.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import { isResolved } from "../state/resolution.ts";
import type { Runner } from "./runner.ts";
import { validate } from "./validate.ts";

/** Items that were sent and not taken, above which a sender waits. */
const LIMIT = 1_024;

/** Wrapped, so that waiting for a turn is not waiting for room. */
interface Put {
  readonly room: Promise<boolean>;
}

/**
 * One live input of one run.
 *
 * I1  Items are there in the order in which they were sent, however long it takes to check each of them.
 * I2  It ends behind the last item that was sent before its end.
 */
class LivePort implements AsyncIterableIterator<unknown> {
  readonly #waiting: unknown[] = [];
  readonly #senders: ((taken: boolean) => void)[] = [];
  /** Settles when nothing that was sent is being checked any more; null when nothing is. */
  #checking: Promise<unknown> | null = null;
  #taker: ((result: IteratorResult<unknown>) => void) | null = null;
  /** No more may be sent. */
  #closed = false;
  /** Nothing more comes: it was closed, and what was sent before is there. */
  #ended = false;

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves when there is room for the next one; to false when the run wants no more and never took it. */
  send(item: unknown): Promise<boolean> {
    return this.#checking === null ? this.#put(item) : this.sendChecked(Promise.resolve(item));
  }

  /** The same for one whose check takes time, and rejects as that does. */
  sendChecked(item: Promise<unknown>): Promise<boolean> {
    const before = this.#checking;
    const put = this.#putInTurn(item, before);
    // One that is refused may be so before those that were sent before it.
    const checking = Promise.allSettled([put, before]);
    this.#checking = checking;
    void checking.then(() => this.#checked(checking));
    return put.then(({ room }) => room);
  }

  /** I1 */
  async #putInTurn(item: Promise<unknown>, before: Promise<unknown> | null): Promise<Put> {
    const valid = await item;
    await before;
    return { room: this.#put(valid) };
  }

  #checked(last: Promise<unknown>): void {
    if (this.#checking !== last) return;
    this.#checking = null;
    if (this.#closed) this.#finish();
  }

  #put(item: unknown): Promise<boolean> {
    if (this.#ended) return Promise.resolve(false);
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
    return this.#closed;
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

  /** I2: no more will be sent; what was is still given. */
  end(): void {
    this.#closed = true;
    if (this.#checking === null) this.#finish();
  }

  #finish(): void {
    this.#ended = true;
    this.#taker?.({ done: true, value: undefined });
    this.#taker = null;
  }

  /** The run wants no more. */
  return(): Promise<IteratorResult<unknown>> {
    this.#closed = true;
    this.#finish();
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

/** The run is over, or this engine has lost it: also of an input that it had not begun to read. */
export function closePorts(runner: Runner): void {
  for (const port of ports.get(runner)?.values() ?? []) void port.return();
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
  const port = openPort(runner, name);
  const schema = schemaOf(runner, name);
  const valid = schema === null ? item : validate(schema, item, `an item of live input "${name}"`);
  const later = schema === null ? null : asPromise(valid);
  const sent = later === null ? port.send(valid) : port.sendChecked(whileOpen(runner, name, later));
  if (!(await sent)) throw ended(runner, name);
}

/** The run may end, or be lost, while an item is checked: then nobody takes it. */
async function whileOpen(runner: Runner, name: string, valid: PromiseLike<unknown>): Promise<unknown> {
  const item = await valid;
  if (runner.over) throw ended(runner, name);
  return item;
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
  const { root, runId, program } = runner.state;
  const inputs = program.plan.slots.filter(({ op }) => op?.live !== undefined);
  const input = inputs.find((slot) => slot.name === name);
  if (input === undefined)
    throw errorOf("NoSuchInput", { runId, input: name, known: knownAs(name, inputs.map((slot) => slot.name)) }); // prettier-ignore
  const port = portOf(runner, name);
  // It may be resolved without ever having been read.
  if (runner.over || port.over || isResolved(root.states[input.local] as number)) throw ended(runner, name);
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
