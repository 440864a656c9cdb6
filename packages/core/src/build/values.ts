/** The unnamed edges that compute: `derive`, `orElse`, `filter`, `present`. */
import { isAsyncOrGenerator } from "../base/sync-only.ts";
import { buildError } from "../base/error.ts";
import { SlotKind, type Template } from "../model/plan.ts";
import type { NeedItem, Ref, RefOf, ScopeIn, ScopesIn, Unref } from "../model/ref.ts";
import type { Innermost, Scope } from "../model/scope.ts";
import { frameFor, type Frame, type Reads } from "./builder.ts";
import { gather, gatherLoose, lenient, type Gathered } from "./gather.ts";
import { infoOf } from "./ref.ts";
import { takeName } from "./names.ts";
import { isInside, isWithin, scopeLabel } from "./scopes.ts";
import { addSlot } from "./slots.ts";
import { slotRef } from "./streams.ts";

/**
 * Computes a value from others, wherever an op would be too much: `derive(rows, r => r.length)`,
 * `derive([a, b], ([x, y]) => x + y)`. `fn` is synchronous and pure; it runs again on replay, so nothing that differs
 * between two calls (clock, random, I/O) belongs in it. A throw is `EdgeFailed` at the nearest named source.
 */
export function derive<T, S extends Scope, R>(from: RefOf<T, S>, fn: (value: T) => R): Ref<R, S>;
export function derive<const D, R>(from: D, fn: (value: Unref<D>) => R): Ref<R, ScopeIn<D>>;
export function derive(from: unknown, fn: (value: never) => unknown): unknown {
  return derived(undefined, from, fn);
}

/** A `derive` with a name: who follows the run is told its value, as that of any node. */
export function deriveAs<const D, R>(name: string, from: D, fn: (value: Unref<D>) => R): Ref<R, ScopeIn<D>> {
  return derived(name, from, fn) as Ref<R, ScopeIn<D>>;
}

function derived(name: string | undefined, from: unknown, fn: (value: never) => unknown): unknown {
  const frame = frameFor("derive()");
  if (typeof fn !== "function") throw buildError("derive() was given no function", "write derive(ref, value => …)");
  if (isAsyncOrGenerator(fn))
    throw buildError(
      "derive() was given an async function or a generator",
      "derive is synchronous; make it an op",
      "AsyncBody",
    );
  const { template, scope } = gather(frame, from, "derive()");
  const named = name === undefined ? {} : { name: takeName(frame, "this value", name) };
  const slot = addSlot(frame.builder, { kind: SlotKind.derive, scope, ...named, inputs: template, fn });
  return slotRef(frame, slot.id, `derive(${labelOf(from, "…")})`, false);
}

/** `value`, or `otherwise` when it is null, undefined, or a key that the output does not have. */
export function orElse<T, D, S extends Scope>(
  value: RefOf<T, S>,
  otherwise: D,
): Ref<NonNullable<T> | Unref<D>, Innermost<S | ScopesIn<D>>> {
  const frame = frameFor("orElse()");
  const { scope, template } = gather(frame, [value, otherwise], "orElse()");
  const inputs = template.type === "array" ? firstLenient(template.items) : template;
  const slot = addSlot(frame.builder, { kind: SlotKind.orElse, scope, inputs });
  return sameRef(frame, slot.id, value) as Ref<NonNullable<T> | Unref<D>, Innermost<S | ScopesIn<D>>>;
}

function firstLenient([first, ...others]: readonly Template[]): Template {
  return { type: "array", items: first === undefined ? others : [lenient(first), ...others] };
}

/** The items for which `keep` holds. The others are absent: what reads them does not run, and collects omit them. */
export function filter<T, S extends Scope>(
  item: RefOf<T, S> & NeedItem<RefOf<T, S>>,
  keep: RefOf<boolean, NoInfer<S>>,
): Ref<T, S> {
  const frame = frameFor("filter()");
  const from = gatherItem(frame, item, "filter()");
  const condition = gather(frame, keep, "filter()");
  if (!isWithin(frame.builder, from.scope, condition.scope)) {
    throw buildError(
      `filter() keeps items of ${scopeLabel(frame.builder, from.scope)} by a condition per item of ${scopeLabel(frame.builder, condition.scope)}`,
      "the condition must be one value per item: collect it first, or filter the inner items",
    );
  }
  const inputs: Template = { type: "array", items: [from.template, condition.template] };
  const slot = addSlot(frame.builder, {
    kind: SlotKind.filter,
    scope: from.scope,
    inputs,
    reads: readsOf(frame, from.template),
  });
  return sameRef(frame, slot.id, item) as Ref<T, S>;
}

/** The items that are neither null nor undefined. The others are absent, as with `filter`. */
export function present<T, S extends Scope>(item: RefOf<T, S> & NeedItem<RefOf<T, S>>): Ref<NonNullable<T>, S> {
  const frame = frameFor("present()");
  const { template, scope } = gatherItem(frame, item, "present()");
  const inputs: Template = { type: "array", items: [lenient(template)] };
  const slot = addSlot(frame.builder, { kind: SlotKind.present, scope, inputs, reads: readsOf(frame, template) });
  return sameRef(frame, slot.id, item) as Ref<NonNullable<T>, S>;
}

/**
 * Refuses what does not live per item of a stream that ends where the running body can see it. A closure that collects
 * does not run per item of what it collects, so this does not move it.
 */
export function gatherItem(frame: Frame, value: unknown, what: string): Gathered {
  const { builder } = frame;
  const gathered = gatherLoose(frame, value, what);
  const item = builder.scopes[gathered.scope]!;
  if (item.stream >= 0 && isWithin(builder, frame.scope, item.parent) && !isWithin(builder, frame.scope, item.id))
    return gathered;
  if (isInside(builder, gathered.scope, frame.scope)) return gathered;
  const isOuterItem = item.stream >= 0 && isWithin(builder, frame.scope, gathered.scope);
  throw buildError(
    `${what} was given ${labelOf(value, "a value")}, which is one value, not a stream`,
    isOuterItem
      ? `here it is one item of ${scopeLabel(builder, gathered.scope)}: the closure runs once per item, so collect outside of it`
      : "wrap its list in each()",
    "NotPerItem",
  );
}

export function labelOf(value: unknown, otherwise: string): string {
  return infoOf(value)?.label ?? otherwise;
}

/** A whole value passed through keeps what is known of its fields. */
function readsOf(frame: Frame, template: Template): Reads | null {
  return template.type === "source" && template.source.path.length === 0
    ? (frame.builder.reads[template.source.slot] ?? null)
    : null;
}

/** The ref of an edge that gives the value of `value` on: named like it. */
function sameRef(frame: Frame, slot: number, value: unknown): unknown {
  const info = infoOf(value);
  return slotRef(frame, slot, info?.label ?? "orElse(…)", info?.named ?? false);
}
