import { buildError } from "../../base/error.ts";
import { SlotKind, type Template } from "../../model/plan.ts";
import type { Args, Ref, RefOf, ScopeIn, ScopesIn, Unref } from "../../model/ref.ts";
import type { Innermost, Run, Scope } from "../../model/scope.ts";
import { frameFor, type Frame, type Reads } from "../builder.ts";
import { oneSlot } from "../collectors.ts";
import { gather } from "../gather.ts";
import { takeName } from "../names.ts";
import { checkChoice, checkCount, checkKeys } from "../options.ts";
import { addSlot } from "../slots.ts";
import { slotRef } from "../streams.ts";
import { checkBody, checkTyped, openClosure, ownScopes, runArm, settle, type Arm } from "./closure.ts";
import { resultWithStreams, splitStreams, streamOf, type Split } from "./leave.ts";
import { blockPlan } from "./block-plan.ts";

export const DEFAULT_MAX = 1000;

type StateOf<I> = { [K in keyof I]: Unref<I[K]> };

/** How long a loop may go on, and what its ops do per item. */
interface LoopOptions {
  /** Most iterations. Default 1,000. */
  readonly max?: number;
  /** What reaching `max` is: a failure `LoopLimitExceeded` (default), or an exit with the result of the last iteration. */
  readonly onLimit?: "fail" | "exit";
  /** Items at once, for ops inside that do not say it themselves. */
  readonly parallel?: number;
}

/**
 * Runs `body` again and again, each time with the state that the time before gave as `next`, until `until` is true. The
 * next iteration begins when everything in the last one ended. The result is `result` of the last iteration, or the
 * state after it.
 *
 * ```ts
 * const root = loop("newton", { max: 50 }, { x: input.guess }, (s) => {
 *   const next = improve({ x: s.x, n: input.n });
 *   return { next: { x: next.x }, until: next.close };
 * });
 * ```
 */
export function loop<I extends object, S extends Scope = Run, R = undefined>(
  name: string,
  options: LoopOptions,
  initial: I,
  body: (state: Ref<StateOf<I>, ScopeIn<I>>) => {
    next: Args<StateOf<NoInfer<I>>, S>;
    until: RefOf<boolean, S>;
    result?: R;
  },
): Ref<R extends undefined ? StateOf<I> : Unref<R>, Innermost<S | ScopesIn<I> | ScopesIn<R>>> {
  const frame = frameFor("loop()");
  const scoped = takeName(frame, "this loop", name);
  const where = `loop ${scoped}`;
  checkKeys(where, options, ["max", "onLimit", "parallel"]);
  const onLimit = checkChoice(where, "onLimit", options.onLimit ?? "fail", ["fail", "exit"]);
  const max = checkCount(where, "max", options.max ?? DEFAULT_MAX);
  const parallel = options.parallel === undefined ? undefined : checkCount(where, "parallel", options.parallel);
  const keys = stateKeys(where, initial);
  const { template, scope } = gather(frame, initial, where);
  const { builder } = frame;
  const closure = openClosure(frame, { scope, prefix: `${scoped}/`, kind: "iteration", parallel });
  checkBody(closure, body);
  const state = addSlot(builder, { kind: SlotKind.item, scope: closure.scope, reads: readsOf(where, keys) });
  const before = addSlot(builder, { kind: SlotKind.record, scope, inputs: template });
  builder.typed[state.id] = builder.typed[before.id]!;
  const { arm, results, split } = runBody(closure, where, keys, () =>
    body(slotRef(closure, state.id, scoped, true) as never),
  );
  const home = settle(builder, scope, [closure], where);
  const slot = addSlot(builder, {
    kind: SlotKind.loop,
    scope: home,
    name: scoped,
    inputs: { type: "source", source: { slot: before.id, path: [], strict: false } },
    after: frame.after,
    block: blockPlan([closure.scope], { results, max, onLimit }),
    reads: { owner: `the result of ${where}`, shape: null, strict: false },
  });
  ownScopes(builder, slot.id, [closure]);
  checkTyped(frame, home, [slot.id], where);
  return resultWithStreams({ frame, block: slot.id, home, arms: [arm] }, split, scoped, false) as never;
}

function stateKeys(where: string, initial: object): readonly string[] {
  if (typeof initial !== "object" || initial === null || Array.isArray(initial))
    throw buildError(`the state of ${where} is not a record`, "write its first values as { key: value }");
  return Object.keys(initial);
}

function readsOf(where: string, keys: readonly string[]): Reads {
  return {
    owner: `the state of ${where}`,
    shape: { keys, required: new Set(keys), field: () => null },
    strict: false,
  };
}

/** What the body of a loop returned: slots of `until`, `next` and the result, and the streams in the result. */
interface Body {
  readonly arm: Arm;
  readonly results: number[];
  readonly split: Split;
}

function runBody(closure: Frame, where: string, keys: readonly string[], body: () => unknown): Body {
  let hasResult = false;
  const { template } = runArm(closure, () => {
    const returned = body();
    checkReturned(where, returned, keys);
    const { until, next, result } = returned as { until?: unknown; next?: unknown; result?: unknown };
    hasResult = result !== undefined;
    return [until, next, result];
  });
  const [until, next, result] = (template.type === "array" ? template.items : []) as [Template, Template, Template];
  if (until.type === "constant")
    throw buildError(
      `${where} ends by a constant: it would ${until.value === true ? "never go on" : "never end"}`,
      "make until from what the body computes: derive(value, v => …)",
      "LoopWithoutExit",
    );
  const { builder } = closure;
  for (const [what, part] of [
    ["until", until],
    ["next", next],
  ] as const)
    if (streamOf(builder, { frame: closure, template: part }, part) >= 0)
      throw buildError(`${what} of ${where} is made per item of a stream`, "collect the items first");
  const arm: Arm = { frame: closure, template: hasResult ? result : next };
  const split = splitStreams(builder, [arm]);
  const slots = [until, next].map((part) => oneSlot(builder, part, closure.scope));
  const last = hasResult ? oneSlot(builder, split.values[0]!, closure.scope) : slots[1]!;
  return { arm, results: [...slots, last], split };
}

function checkReturned(where: string, returned: unknown, keys: readonly string[]): void {
  if (typeof returned !== "object" || returned === null)
    throw buildError(
      `the body of ${where} returns nothing`,
      "return { next, until } and, if you like, result",
      "LoopWithoutExit",
    );
  checkKeys(`the return value of ${where}`, returned, ["next", "until", "result"]);
  const { next, until } = returned as { readonly next?: unknown; readonly until?: unknown };
  if (until === undefined)
    throw buildError(
      `${where} does not say when it ends`,
      "return until: a ref that is true in the last iteration",
      "LoopWithoutExit",
    );
  if (typeof next === "function") return;
  if (typeof next !== "object" || next === null)
    throw buildError(`${where} does not say what comes next`, `return next: { ${keys.join(", ")} }`, "LoopState");
  checkKeys(`next of ${where}`, next, keys);
  const missing = keys.find((key) => !Object.hasOwn(next, key));
  if (missing !== undefined)
    throw buildError(
      `next of ${where} lacks "${missing}"`,
      `name every key of the state: ${keys.join(", ")}`,
      "LoopState",
    );
}
