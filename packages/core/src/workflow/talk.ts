/**
 * The body of a workflow while it lives: its calls on their way out, and the promises that it waits for.
 *
 * M6  What `now` gives stands still between two things that the body is told, and is recorded with the call that comes next:
 *     so it is the same when the body runs again.
 * M7  When nobody listens any more, nothing is held: what the body waits for never comes.
 * M10  A call is given up by a record of its own, which stands where the body aborted its signal: so it is given up there when the body
 *     runs again, and nothing that it comes to is told. That nobody looks at that is no mistake.
 * M9  A call from elsewhere ends the body, whoever catches what it rejects with: something that the workflow was to do is not done.
 */
import { errorOf } from "../base/error.ts";
import {
  GIVEN_UP,
  type Call,
  type Conversation,
  type Delivery,
  type Listener,
  type MadeCall,
} from "../model/conversation.ts";
import { CallError } from "./call-error.ts";
import { CallPromise } from "./call-promise.ts";
import { SeededRandom } from "./random.ts";
import { own, type Unheards } from "./rejections.ts";

/** Somebody waits for what the call comes to. */
interface Waiter {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  /** That nobody looked at it does not count. */
  readonly excuse: () => void;
}

interface Made {
  readonly call: MadeCall;
  /** Null: nobody. */
  waiter: Waiter | null;
}

type Marks = readonly Pick<Call, "now" | "seed">[];

/** Runs the body, once everything that it may ask for is there. */
export type BodyFn = (talk: Talk) => unknown;

export class Talk implements Conversation {
  readonly #workflow: string;
  readonly #body: BodyFn;
  readonly #listener: Listener;
  #recorded: Marks = [];
  #made: Made[] = [];
  #taken = 0;
  readonly #open: Map<number, Waiter> = new Map();
  /** What calls are called that nobody has looked at. */
  readonly #unawaited: Map<object, string> = new Map();
  /** M6: what it is now; null: it has not been asked. And what was given since the last call. */
  #now: number | null = null;
  #times: number[] = [];
  #random: { readonly from: SeededRandom; readonly began: string; seed: string | null } | null = null;
  /** M8 */
  readonly #unheard: Unheards = new Map();
  /** That of the run and place. */
  #seed: string | null = null;
  #awake = true;
  #closed = false;
  /** That something was called after the end is told once. */
  #warned = false;
  #over: Conversation["over"] = null;

  constructor(workflow: string, body: BodyFn, listener: Listener) {
    this.#workflow = workflow;
    this.#body = body;
    this.#listener = listener;
  }

  get runId(): string {
    return this.#listener.runId;
  }

  /** M8: whether somebody looked at a failure is known when what the body did last is through. */
  get over(): Conversation["over"] {
    const [forgotten] = this.#unheard.values();
    if (this.#over?.ok !== true || forgotten === undefined) return this.#over;
    const values = { workflow: this.#workflow, what: `"${forgotten.call}"` };
    return { ok: false, error: errorOf("UnawaitedCall.failed", values, forgotten.error) };
  }

  begin(recorded: Marks): void {
    this.#recorded = recorded;
    const run = async (): Promise<unknown> => await this.#body(this);
    run().then(
      (value) => this.#end({ ok: true, value }),
      (error: unknown) => this.#end({ ok: false, error }),
    );
  }

  /** A call of which somebody hears, until `signal` is aborted. */
  ask<T>(call: Pick<MadeCall, "call" | "input" | "name">, signal?: AbortSignal): Promise<T> {
    return this.#promise(call.call, (waiter) => {
      if (signal?.aborted === true) this.#abort(call.call, waiter, signal);
      else this.#add(call, signal === undefined ? waiter : this.#abortable(call.call, waiter, signal));
    });
  }

  /** M10 */
  #abortable(what: string, waiter: Waiter, signal: AbortSignal): Waiter {
    const number = this.#next;
    const onAbort = (): void => this.#giveUp(number, what, signal);
    const settled = (settle: (value: never) => void) => (value: unknown) => {
      signal.removeEventListener("abort", onAbort);
      settle(value as never);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    return { ...waiter, resolve: settled(waiter.resolve), reject: settled(waiter.reject) };
  }

  #giveUp(number: number, what: string, signal: AbortSignal): void {
    const made = this.#made[number - this.#taken];
    const waiter = made === undefined ? this.#open.get(number) : made.waiter;
    if (this.#closed || this.#over !== null || waiter === undefined || waiter === null) return;
    try {
      this.#check(what);
    } catch (error) {
      waiter.reject(this.own(error as Error, what));
      return;
    }
    if (made === undefined) this.#open.delete(number);
    else made.waiter = null;
    this.#abort(what, waiter, signal);
    this.#add({ call: GIVEN_UP, input: number }, null);
  }

  #abort(what: string, { reject, excuse }: Waiter, { reason }: AbortSignal): void {
    const error = new Error(`"${what}" was given up`, { cause: reason });
    excuse();
    reject(own(Object.assign(error, { name: "AbortError" }), what, new Map()));
  }

  /** A call that cannot be made: it rejects with `error`. */
  refuse<T>(what: string, error: unknown): Promise<T> {
    return this.#promise(what, () => {
      throw error;
    });
  }

  /** A call of which nobody hears. What is wrong with it ends the body, for nobody may be there to catch it. */
  say(call: Pick<MadeCall, "call" | "input">): void {
    try {
      this.#check(call.call);
      this.#add(call, null);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ends the body, whatever it does afterwards. */
  fail(error: unknown): void {
    if (this.#closed || this.#over !== null) return;
    this.#over = { ok: false, error };
    this.#listener.stirred();
  }

  /** M8 */
  own<E extends object>(error: E, what: string): E {
    return own(error, what, this.#unheard);
  }

  /** M6 */
  now(): number {
    if (this.#now === null) {
      const known = this.#recorded[this.#next]?.now?.[this.#times.length];
      this.#now = known ?? this.#listener.now();
      this.#times.push(this.#now);
    }
    return this.#now;
  }

  /** Behind what a fork kept of its origin they are its own. */
  get random(): SeededRandom {
    const recorded = this.#recorded[this.#next];
    const own = (): string => (this.#seed ??= this.#listener.seed());
    const seed = recorded === undefined ? own() : (recorded.seed ?? this.#random?.began ?? own());
    if (this.#random?.began !== seed) this.#random = { from: new SeededRandom(seed), began: seed, seed };
    return this.#random.from;
  }

  take(): MadeCall | undefined {
    const made = this.#made.shift();
    if (made === undefined) return undefined;
    if (made.waiter !== null) this.#open.set(this.#taken, made.waiter);
    this.#taken++;
    return made.call;
  }

  expects(call: number): boolean {
    return this.#open.has(call);
  }

  tell({ call, ok, value }: Delivery): void {
    const waiter = this.#open.get(call);
    this.#open.delete(call);
    this.#awake = true;
    this.#now = null;
    if (ok) waiter?.resolve(value as never);
    else waiter?.reject(this.own(new CallError(value), value.node));
  }

  get waits(): boolean {
    return this.#open.size > 0;
  }

  rest(): void {
    this.#awake = false;
  }

  /** M7 */
  close(): void {
    this.#closed = true;
    this.#made = [];
    this.#open.clear();
    this.#unawaited.clear();
    this.#unheard.clear();
  }

  /** The number of the call that it makes next. */
  get #next(): number {
    return this.#taken + this.#made.length;
  }

  #promise<T>(what: string, make: (waiter: Waiter) => void): Promise<T> {
    const key = {};
    this.#unawaited.set(key, what);
    const promise = CallPromise.of<T>(
      () => void this.#unawaited.delete(key),
      (resolve, reject) => {
        try {
          this.#check(what);
          make({ resolve, reject, excuse: () => void this.#unawaited.delete(key) });
        } catch (error) {
          reject(this.own(error as Error, what));
        }
      },
    );
    return promise;
  }

  /** M9 */
  #check(what: string): void {
    const values = { workflow: this.#workflow, what: `"${what}"` };
    if (this.#closed || this.#over !== null) throw this.#late(errorOf("WorkflowCallElsewhere.over", values));
    if (this.#awake) return;
    const error = errorOf("WorkflowCallElsewhere", values);
    this.fail(error);
    throw error;
  }

  /** A run that failed, or that is somewhere else, misses nothing. */
  #late(error: Error): Error {
    if (this.#over?.ok === true && !this.#warned) this.#listener.lost(error);
    this.#warned = true;
    return error;
  }

  #add(given: Pick<MadeCall, "call" | "input" | "name">, waiter: Waiter | null): void {
    const call = { ...given, input: this.#listener.copy(given.input, `the input of "${given.call}"`) };
    const now = this.#times;
    const seed = this.#random?.seed ?? null;
    this.#made.push({ call: { ...call, ...(now.length > 0 && { now }), ...(seed !== null && { seed }) }, waiter });
    this.#times = [];
    if (this.#random !== null) this.#random.seed = null;
    this.#listener.stirred();
  }

  #end(over: NonNullable<Conversation["over"]>): void {
    if (this.#closed || this.#over !== null) return;
    const [forgotten] = this.#unawaited.values();
    this.#over =
      over.ok && forgotten !== undefined
        ? { ok: false, error: errorOf("UnawaitedCall", { workflow: this.#workflow, what: `"${forgotten}"` }) }
        : over;
    this.#listener.stirred();
  }
}
