import { parseDuration, type Duration } from "../base/duration.ts";
import { buildError, errorOf } from "../base/error.ts";
import { checkCount } from "../build/options.ts";
import type { MadeCall } from "../model/conversation.ts";
import type { Callee, CallOptions, RunCallOptions, WorkflowCtx, WorkflowQuestions } from "./ctx.ts";
import { SLEEP_NAME, type Declared } from "./declared.ts";
import type { Talk } from "./talk.ts";

/** The `w` of one life of a body. */
export class BodyCtx implements WorkflowCtx<Callee, WorkflowQuestions, string> {
  readonly #declared: Declared;
  readonly #talk: Talk;
  /** The workflow itself: it cannot be called. */
  readonly #self: unknown;

  constructor(declared: Declared, talk: Talk, self: unknown) {
    this.#declared = declared;
    this.#talk = talk;
    this.#self = self;
    this.run = this.run.bind(this);
    this.all = this.all.bind(this);
    this.sleep = this.sleep.bind(this);
    this.interrupt = this.interrupt.bind(this);
    this.emit = this.emit.bind(this);
    this.now = this.now.bind(this);
    this.random = this.random.bind(this);
    this.uuid = this.uuid.bind(this);
  }

  get runId(): string {
    return this.#talk.runId;
  }

  run(callee: Callee, input: unknown = {}, { name, signal }: RunCallOptions = {}): Promise<never> {
    const call = this.#declared.names.get(callee);
    if (call === undefined) return this.#refused(callee);
    if (name !== undefined && typeof name !== "string")
      return this.#talk.refuse(
        call,
        buildError(
          `the name of a call of "${call}" is no text but ${typeof name}`,
          `write w.run(…, { name: "first" })`,
        ),
      );
    return this.#ask(name === undefined ? { call, input } : { call, input, name }, signal);
  }

  async all(
    calls: readonly (() => Promise<unknown>)[],
    options: { readonly concurrency?: number } = {},
  ): Promise<never> {
    const { concurrency } = options;
    const atOnce = this.#checked(calls, concurrency);
    const results: unknown[] = Array.from({ length: calls.length });
    const failures: unknown[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < calls.length && failures.length === 0) {
        const at = next++;
        try {
          // oxlint-disable-next-line no-await-in-loop -- one after the other is what bounds them
          results[at] = await (calls[at] as () => Promise<unknown>)();
        } catch (error) {
          failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, calls.length) }, work));
    if (failures.length > 0) throw failures[0];
    return results as never;
  }

  sleep(duration: Duration, { signal }: CallOptions = {}): Promise<void> {
    try {
      parseDuration(duration, `the duration of a sleep in workflow ${this.#declared.workflow}`);
    } catch (error) {
      return this.#talk.refuse(SLEEP_NAME, error);
    }
    return this.#ask({ call: SLEEP_NAME, input: duration }, signal);
  }

  interrupt(question: string, payload?: unknown, { signal }: CallOptions = {}): Promise<never> {
    const { asks, workflow } = this.#declared;
    if (!asks.has(question))
      return this.#talk.refuse(question, errorOf("UndeclaredCall.question", { workflow, what: question }));
    return this.#ask({ call: question, input: payload }, signal);
  }

  emit(name: string, value: unknown): void {
    const { emits, workflow } = this.#declared;
    if (emits.has(name)) this.#talk.say({ call: name, input: value });
    else this.#talk.fail(errorOf("UndeclaredCall.emission", { workflow, what: name }));
  }

  now(): number {
    return this.#talk.now();
  }

  random(): number {
    return this.#talk.random.number();
  }

  uuid(): string {
    return this.#talk.random.uuid();
  }

  #ask(call: Pick<MadeCall, "call" | "input" | "name">, signal: unknown): Promise<never> {
    if (signal === undefined || signal instanceof AbortSignal) return this.#talk.ask(call, signal);
    return this.#talk.refuse(
      call.call,
      buildError(
        `the signal of a call of "${call.call}" is no AbortSignal`,
        "make an AbortController in the body, and give its signal",
      ),
    );
  }

  #refused(callee: unknown): Promise<never> {
    const { workflow } = this.#declared;
    if (callee === this.#self) return this.#talk.refuse(workflow, errorOf("UndeclaredCall.itself", { workflow }));
    const name = (callee as { readonly name?: unknown } | null | undefined)?.name;
    const what = typeof name === "string" ? `"${name}"` : "something";
    return this.#talk.refuse(String(name), errorOf("UndeclaredCall", { workflow, what }));
  }

  /** How many at once. */
  #checked(calls: unknown, concurrency: unknown): number {
    try {
      if (!Array.isArray(calls) || !calls.every((call) => typeof call === "function"))
        throw buildError(
          "what w.all is given is no list of functions",
          "write w.all(things.map((thing) => () => w.run(work, thing)))",
        );
      return concurrency === undefined ? calls.length : checkCount("w.all", "concurrency", concurrency);
    } catch (error) {
      throw this.#talk.own(error as Error, "all");
    }
  }
}
