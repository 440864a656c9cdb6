/**
 * A user's graph whose bodies are watched: the same plan, in which each says that it begins, and lets others go first before it
 * does and before it is over. What a body itself does is not touched.
 */
import { define } from "../../build/definition.ts";
import { errorOf } from "../../base/error.ts";
import { asPromise } from "../../base/thenable.ts";
import type { OpCtx, Runnable } from "../../model/op.ts";
import type { OpSpec } from "../../model/op-spec.ts";
import type { Plan } from "../../model/plan.ts";

/** Who is told of bodies, and says when one that waits goes on. */
export interface BodyWatch {
  enter(ctx: OpCtx): void;
  /** What a body has been asked for: its output, or the next item. */
  asked(path: string): void;
  /** It has given that, or failed. */
  gave(path: string): void;
  /** Null: at once. */
  pause(): Promise<void> | null;
}

type Run = (input: never, ctx: OpCtx) => unknown;
type Items = AsyncIterator<unknown> | Iterator<unknown>;

/** The graph of a plan, for an engine. */
export function runnableOf(plan: Plan): Runnable<unknown, unknown> {
  const callable = (): never => {
    throw new Error(`${plan.name} is for engines only`);
  };
  define(callable, { type: "graph", name: plan.name, title: undefined, schema: plan.input, body: callable, plan });
  return callable as unknown as Runnable<unknown, unknown>;
}

export function watchedPlan(plan: Plan, watch: BodyWatch): Plan {
  const specs = new Map<OpSpec, OpSpec>();
  const watched = (op: OpSpec): OpSpec => {
    // What keeps a processor busy runs where it can be watched.
    const known = specs.get(op) ?? { ...op, bound: null, run: watchedBody(op, watch) };
    specs.set(op, known);
    return known;
  };
  return {
    ...plan,
    elsewhere: [],
    slots: plan.slots.map((slot) => (slot.op === null ? slot : { ...slot, op: watched(slot.op) })),
  };
}

function watchedBody(op: OpSpec, watch: BodyWatch): Run {
  const run = op.run as Run;
  if (op.kind === "asyncGenerator") return watchedStream(run, watch);
  if (op.kind === "async") return watchedAsync(run, watch);
  return (input, ctx) => {
    watch.enter(ctx);
    const result = run(input, ctx);
    // A function whose kind was not known may give a promise all the same; a generator is asked when it is its turn.
    const later = op.kind === "inline" ? asPromise(result) : null;
    return later === null ? result : within(watch, ctx, later);
  };
}

function watchedAsync(run: Run, watch: BodyWatch): Run {
  return async (input, ctx) => {
    watch.enter(ctx);
    await watch.pause();
    return within(watch, ctx, run(input, ctx));
  };
}

/** What a body waits for that never comes can be named. */
async function within<T>(watch: BodyWatch, { path }: OpCtx, result: T): Promise<Awaited<T>> {
  watch.asked(path);
  try {
    return await result;
  } finally {
    watch.gave(path);
    await watch.pause();
  }
}

function watchedStream(run: Run, watch: BodyWatch): Run {
  return async function* (input, ctx) {
    watch.enter(ctx);
    await watch.pause();
    const items = iteratorOf(await within(watch, ctx, run(input, ctx)), ctx.node);
    try {
      for (;;) {
        const step = await within(watch, ctx, items.next());
        if (step.done === true) return step.value;
        yield step.value;
      }
    } finally {
      await items.return?.();
    }
  };
}

function iteratorOf(made: unknown, node: string): Items {
  const iterable = made as Partial<AsyncIterable<unknown> & Iterable<unknown>> | null | undefined;
  const iterator = iterable?.[Symbol.asyncIterator]?.() ?? iterable?.[Symbol.iterator]?.();
  if (iterator !== undefined) return iterator;
  throw errorOf("NotAStream.value", { node, type: made === null ? "null" : typeof made });
}
