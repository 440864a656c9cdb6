/** What turns items back into one value: `collect`, `reduce`, and the `end` that `after` waits for. */
import { isAsyncOrGenerator } from "../base/sync-only.ts";
import { buildError } from "../base/error.ts";
import { SlotKind, type CollectPlan, type Template } from "../model/plan.ts";
import type { NeedItem, Ref, ScopeIn, Settled, Unref } from "../model/ref.ts";
import type { Outer } from "../model/scope.ts";
import { frameFor, type Builder, type DraftSlot } from "./builder.ts";
import { takeName } from "./names.ts";
import { checkChoice, checkKeys } from "./options.ts";
import { infoOf } from "./ref.ts";
import { isWithin } from "./scopes.ts";
import { addSlot } from "./slots.ts";
import { slotRef } from "./streams.ts";
import { gatherItem } from "./values.ts";

/** What a collect does with items that failed: fail too (default), omit them, or give each as `Settled`. */
export type OnItemError = "fail" | "skip" | "settle";

/**
 * The list of a value over the items of its stream, in the order they were made; absent items are omitted and no items
 * give `[]`. `errors` says what items that failed do, decided once all are through: `"fail"` (default) fails the
 * collect, `"skip"` omits them, `"settle"` gives `{ ok, value }` or `{ ok, error }` per item.
 */
export function collect<V, const E extends OnItemError = "fail">(
  stream: V & NeedItem<V>,
  options: { errors?: E } = {},
): Ref<("settle" extends E ? Settled<Unref<V>> : Unref<V>)[], Outer<ScopeIn<V>>> {
  const frame = frameFor("collect()");
  checkKeys("collect()", options, ["errors"]);
  const errors = checkChoice("collect()", "errors", options.errors ?? "fail", ["fail", "skip", "settle"]);
  const { template, scope } = gatherItem(frame, stream, "collect()");
  const slot = addCollect(frame.builder, oneSlot(frame.builder, template, scope), errors);
  const info = infoOf(stream);
  const ref = slotRef(
    frame,
    slot.id,
    info === undefined ? "collect(…)" : `${info.label}.collect`,
    info?.named ?? false,
  );
  return ref as Ref<("settle" extends E ? Settled<Unref<V>> : Unref<V>)[], Outer<ScopeIn<V>>>;
}

/**
 * Folds a value over the items of its stream in the order they were made: a node named `name`. No items give `init`.
 * A throw of `fn` is this node's failure; `errors` as for `collect`: with `"settle"` it is given `{ ok, value }` or
 * `{ ok, error }`. An item that is through before an earlier one stays open until it is folded, so that the `buffer` of
 * the stream bounds what a slow item keeps waiting.
 */
export function reduce<A, V, const E extends OnItemError = "fail">(
  name: string,
  stream: V & NeedItem<V>,
  init: A,
  fn: (
    accumulator: NoInfer<A>,
    item: "settle" extends E ? Settled<Unref<NoInfer<V>>> : Unref<NoInfer<V>>,
  ) => NoInfer<A>,
  options: { errors?: E } = {},
): Ref<A, Outer<ScopeIn<V>>> {
  const frame = frameFor("reduce()");
  const scoped = takeName(frame, "this reduce", name);
  checkKeys(`reduce ${scoped}`, options, ["errors"]);
  const errors = checkChoice(`reduce ${scoped}`, "errors", options.errors ?? "fail", ["fail", "skip", "settle"]);
  if (typeof fn !== "function")
    throw buildError(
      `reduce ${scoped} was given no function`,
      "write reduce(name, item, init, (accumulator, item) => …)",
    );
  if (isAsyncOrGenerator(fn))
    throw buildError(
      `reduce ${scoped} was given an async function or a generator`,
      "a fold is synchronous; what waits belongs in an op before it",
      "AsyncBody",
    );
  if (infoOf(init) !== undefined)
    throw buildError(
      `the initial value of reduce ${scoped} is a ref`,
      "give a value; combine with refs afterwards, with derive",
    );
  const { template, scope } = gatherItem(frame, stream, `reduce ${scoped}`);
  const { builder } = frame;
  const collectPlan = planCollect(builder, oneSlot(builder, template, scope), errors, init);
  const slot = addSlot(builder, {
    kind: SlotKind.reduce,
    scope: outerScope(builder, scope),
    name: scoped,
    fn,
    collect: collectPlan,
  });
  builder.streams[collectPlan.stream]!.collectors.push(slot.id);
  return slotRef(frame, slot.id, scoped, true) as Ref<A, Outer<ScopeIn<V>>>;
}

/** A collect of a slot, in the scope around its stream. */
function addCollect(builder: Builder, watch: number, errors: OnItemError): DraftSlot {
  return addCollector(builder, SlotKind.collect, watch, errors);
}

/** Slots that stand for "`slot` is through", seen from `scope`: itself, or the ends of the streams it lives in. */
export function endSeenFrom(builder: Builder, slot: number, scope: number): number {
  let at = slot;
  while (!isWithin(builder, scope, builder.slots[at]!.scope)) at = addCollector(builder, SlotKind.end, at, "skip").id;
  return at;
}

/** The slot whose value is `template`'s: its source when that is read whole in this scope, else a new `record`. */
export function oneSlot(builder: Builder, template: Template, scope: number): number {
  if (
    template.type === "source" &&
    template.source.path.length === 0 &&
    builder.slots[template.source.slot]!.scope === scope
  ) {
    return template.source.slot;
  }
  return addSlot(builder, { kind: SlotKind.record, scope, inputs: template }).id;
}

/** Gives what every item came to back to the body that yielded it; `watch` is in the items. */
export function addDelivery(builder: Builder, watch: number): DraftSlot {
  return addCollector(builder, SlotKind.deliver, watch, "settle");
}

/** Collects `template`, which lives in `scope`, out to `home`: the output of a graph that is a stream. */
export function collectTo(builder: Builder, template: Template, scope: number, home: number): Template {
  if (scope === home) return template;
  let slot = oneSlot(builder, template, scope);
  for (let at = scope; at !== home; at = outerScope(builder, at)) slot = addCollect(builder, slot, "fail").id;
  return { type: "source", source: { slot, path: [], strict: false } };
}

function addCollector(builder: Builder, kind: SlotKind, watch: number, errors: OnItemError): DraftSlot {
  const collectPlan = planCollect(builder, watch, errors, null);
  const slot = addSlot(builder, {
    kind,
    scope: outerScope(builder, builder.slots[watch]!.scope),
    collect: collectPlan,
  });
  builder.streams[collectPlan.stream]!.collectors.push(slot.id);
  return slot;
}

export function planCollect(builder: Builder, watch: number, errors: OnItemError, initial: unknown): CollectPlan {
  const { stream } = builder.scopes[builder.slots[watch]!.scope]!;
  return { stream, watch, errors, initial, index: builder.streams[stream]!.collectors.length };
}

function outerScope(builder: Builder, scope: number): number {
  return builder.scopes[scope]!.parent;
}
