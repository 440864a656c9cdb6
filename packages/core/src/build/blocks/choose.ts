/** `when`, `given`, `match`, `route`: one of several closures runs. */
import { buildError } from "../../base/error.ts";
import { isName } from "../../base/name.ts";
import { SlotKind } from "../../model/plan.ts";
import type { Ref, RefOf, ScopesIn, Unref } from "../../model/ref.ts";
import type { Innermost, Scope } from "../../model/scope.ts";
import { frameFor, type Frame } from "../builder.ts";
import { gather, lenient, type Gathered } from "../gather.ts";
import { takeName } from "../names.ts";
import { makeRef } from "../ref.ts";
import { addSlot } from "../slots.ts";
import { ArmsRef } from "./arms-ref.ts";
import { checkTyped, openClosure, ownScopes, runArm, settle, sourcesOf } from "./closure.ts";
import { blockPlan } from "./block-plan.ts";

type Fn = () => unknown;
/** What it is called, its body, and what that is called with. */
type ArmBody = readonly [name: string, body: (...values: never[]) => unknown, ...values: unknown[]];

/**
 * Runs `then` when `condition` is true and `otherwise` when it is false: only the nodes of that arm run. The result is
 * what the arm returned, field by field as each is there; without `otherwise` it is `undefined` when the condition is
 * false. Anything but true and false is a failure of this node.
 *
 * ```ts
 * const sent = when("deliver", ok.approved, () => send({ text: reply.text }));
 * ```
 */
export function when<S extends Scope, A, B = undefined>(
  name: string,
  condition: RefOf<boolean, S>,
  then: () => A,
  otherwise?: () => B,
): Ref<Unref<A | B>, Innermost<S | ScopesIn<A | B>>> {
  const frame = frameFor("when()");
  const scoped = takeName(frame, "this when", name);
  const arms = twoArms(then, otherwise);
  return choose(frame, scoped, gather(frame, condition, `when ${scoped}`), arms, (value) => {
    if (typeof value !== "boolean") throw notAChoice(scoped, value, "true or false");
    return value ? 0 : arms.length - 1 || -1;
  }) as Ref<Unref<A | B>, Innermost<S | ScopesIn<A | B>>>;
}

/**
 * Runs `then` with `value` when it is neither null nor undefined, else `otherwise`. In `then`, the value's type is
 * without null and undefined.
 */
export function given<T, S extends Scope, A, B = undefined>(
  name: string,
  value: RefOf<T, S>,
  then: (value: Ref<NonNullable<T>, S>) => A,
  otherwise?: () => B,
): Ref<Unref<A | B>, Innermost<S | ScopesIn<A | B>>> {
  const frame = frameFor("given()");
  const scoped = takeName(frame, "this given", name);
  const arms = twoArms(then, otherwise, value);
  const { template, scope } = gather(frame, value, `given ${scoped}`);
  return choose(frame, scoped, { template: lenient(template), scope }, arms, (now) =>
    now !== null && now !== undefined ? 0 : arms.length - 1 || -1,
  ) as Ref<Unref<A | B>, Innermost<S | ScopesIn<A | B>>>;
}

function twoArms(
  then: (...values: never[]) => unknown,
  otherwise: Fn | undefined,
  ...values: readonly unknown[]
): ArmBody[] {
  const arms: ArmBody[] = [["then", then, ...values]];
  return otherwise === undefined ? arms : [...arms, ["else", otherwise]];
}

/**
 * Runs the closure that is named like the value of `on`: one for every member of its union, or some and `otherwise`. A
 * value that has neither is a failure of this node.
 */
export function route<K extends string, S extends Scope, A extends { readonly [P in K]: Fn }>(
  name: string,
  on: RefOf<K, S>,
  arms: A & { readonly [P in Exclude<keyof A, K>]: never },
): Ref<Unref<ReturnType<A[K]>>, Innermost<S | ScopesIn<ReturnType<A[K]>>>>;
export function route<K extends string, S extends Scope, A extends { readonly [P in string]?: Fn }, B>(
  name: string,
  on: RefOf<K, S>,
  arms: A & { readonly [P in Exclude<keyof A, K>]: never },
  otherwise: () => B,
): Ref<
  Unref<ReturnType<NonNullable<A[keyof A]>> | B>,
  Innermost<S | ScopesIn<ReturnType<NonNullable<A[keyof A]>> | B>>
>;
export function route(
  name: string,
  on: RefOf<string, Scope>,
  arms: { readonly [key: string]: Fn | undefined },
  otherwise?: Fn,
): unknown {
  const frame = frameFor("route()");
  const scoped = takeName(frame, "this route", name);
  const named = namedArms(`route ${scoped}`, arms);
  const all = otherwise === undefined ? named : [...named, ["otherwise", otherwise] as const];
  return choose(
    frame,
    scoped,
    gather(frame, on, `route ${scoped}`),
    all,
    byKey(scoped, named, otherwise !== undefined),
  );
}

/** `route` over a discriminated union: runs the closure of the member, with the value narrowed to it. */
export function match<T, S extends Scope, K extends keyof T, R extends { readonly [V in T[K] & string]: unknown }>(
  name: string,
  on: RefOf<T, S>,
  key: K,
  arms: {
    readonly [V in keyof R]: V extends T[K] ? (value: Ref<Extract<T, { readonly [k in K]: V }>, S>) => R[V] : never;
  },
): Ref<Unref<R[keyof R]>, Innermost<S | ScopesIn<R[keyof R]>>> {
  const frame = frameFor("match()");
  const scoped = takeName(frame, "this match", name);
  const closures = namedArms(`match ${scoped}`, arms);
  const bound = closures.map(([arm, body]): ArmBody => [arm, body, on]);
  const discriminant = (on as { readonly [field in K]?: unknown })[key];
  return choose(
    frame,
    scoped,
    gather(frame, discriminant, `match ${scoped}`),
    bound,
    byKey(scoped, bound, false),
  ) as Ref<Unref<R[keyof R]>, Innermost<S | ScopesIn<R[keyof R]>>>;
}

function namedArms(where: string, arms: { readonly [key: string]: unknown }): (readonly [string, Fn])[] {
  if (typeof arms !== "object" || arms === null) throw buildError(`${where} has no arms`, "give { key: () => … }");
  const entries = Object.entries(arms).filter((entry): entry is [string, Fn] => entry[1] !== undefined);
  if (entries.length === 0) throw buildError(`${where} has no arms`, "give { key: () => … }");
  for (const [key] of entries)
    if (!isName(key) || key === "otherwise")
      throw buildError(
        `${JSON.stringify(key)} cannot name an arm of ${where}`,
        "arms are named like nodes; map the value to such a name with derive first",
        "BadName",
      );
  return entries;
}

function byKey(scoped: string, arms: readonly ArmBody[], otherwise: boolean): (value: unknown) => number {
  const index = new Map<unknown, number>(arms.map(([key], arm) => [key, arm]));
  return (value) => {
    const arm = index.get(value) ?? (otherwise ? arms.length : -1);
    if (arm < 0) throw notAChoice(scoped, value, `one of ${arms.map(([key]) => JSON.stringify(key)).join(", ")}`);
    return arm;
  };
}

function notAChoice(scoped: string, value: unknown, expected: string): Error {
  const is = typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : value === null ? "null" : typeof value;
  return new TypeError(`"${scoped}" decides by a value that is ${is}, not ${expected}`);
}

/** `route`, whose arms are named like what is in them: its nodes stand beside the block. `none` goes no way. */
export function routeBeside(
  name: string,
  on: RefOf<string, Scope>,
  arms: { readonly [key: string]: Fn },
  none: string,
): unknown {
  const frame = frameFor("route()");
  const scoped = takeName(frame, "this route", name);
  const named = namedArms(`route ${scoped}`, arms);
  const prefix = (): string => frame.prefix;
  const armOf = byKey(scoped, named, false);
  const fn = (value: unknown): number => (value === none ? -1 : armOf(value));
  return choose(frame, scoped, gather(frame, on, scoped), named, fn, prefix);
}

function choose(
  frame: Frame,
  scoped: string,
  on: Gathered,
  arms: readonly ArmBody[],
  fn: (value: unknown) => number,
  prefixOf: (arm: string) => string = (arm) => `${scoped}/${arm}/`,
): unknown {
  const { builder } = frame;
  const ran = arms.map(([arm, body, ...values]) => {
    const closure = openClosure(frame, { scope: on.scope, prefix: prefixOf(arm), name: arm });
    return runArm(closure, body, values);
  });
  const closures = ran.map((arm) => arm.frame);
  const home = settle(builder, on.scope, closures, scoped);
  const slot = addSlot(builder, {
    kind: SlotKind.choose,
    scope: home,
    name: scoped,
    inputs: on.template,
    after: frame.after,
    fn,
    block: blockPlan(closures.map(({ scope }) => scope)),
  });
  ownScopes(builder, slot.id, closures);
  checkTyped(frame, home, [slot.id, ...sourcesOf(ran)], `"${scoped}"`);
  const choice = { frame, block: slot.id, home, arms: ran };
  return makeRef(
    new ArmsRef(
      choice,
      ran.map(({ template }) => template),
      scoped,
      `s${slot.id}`,
    ),
  );
}
