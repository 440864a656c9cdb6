import { buildError } from "../../base/error.ts";
import type { OpError } from "../../events/record.ts";
import { SlotKind } from "../../model/plan.ts";
import type { Ref, RefOf, ScopeIn, Unref } from "../../model/ref.ts";
import type { Scope } from "../../model/scope.ts";
import { frameFor, type Reads } from "../builder.ts";
import { afterSlots } from "../call-options.ts";
import { gather } from "../gather.ts";
import { takeName } from "../names.ts";
import { checkKeys } from "../options.ts";
import { addSlot } from "../slots.ts";
import { slotRef } from "../streams.ts";
import { openClosure, runArm } from "./closure.ts";
import { addOneOfArms } from "./one-of-arms.ts";

const ERROR_KEYS = ["node", "path", "code", "type", "message", "attempts", "input", "data", "cause"];
const ERROR_READS: Reads = {
  owner: "the error that a handler is given",
  shape: { keys: ERROR_KEYS, required: new Set(ERROR_KEYS), field: () => null },
  strict: false,
};

/**
 * Runs `body`. The first failure in it that nothing inside handles ends it: what runs is aborted (unsafe ops are
 * awaited), and `handler` runs once, with the error after the last attempt. The result is the body's once all of it is
 * through, or the handler's. If the handler fails too, its error is the block's, with the first as its cause.
 *
 * ```ts
 * const a = fallback("answer", () => big({ q: input.q }), (error) => small({ q: input.q, because: error.message }));
 * ```
 */
export function fallback<A, B>(
  name: string,
  body: () => A,
  handler: (error: Ref<OpError>) => B,
): Ref<Unref<A | B>, ScopeIn<A | B>> {
  const frame = frameFor("fallback()");
  const scoped = takeName(frame, "this fallback", name);
  const where = `fallback ${scoped}`;
  if (typeof handler !== "function")
    throw buildError(`${where} has no handler`, "write fallback(name, () => …, error => …)");
  const { builder } = frame;
  const main = runArm(openClosure(frame, { scope: frame.scope, prefix: `${scoped}/body/` }), body);
  const closure = openClosure(frame, { scope: frame.scope, prefix: `${scoped}/handler/` });
  const error = addSlot(builder, { kind: SlotKind.item, scope: closure.scope, reads: ERROR_READS });
  const mended = runArm(closure, handler, [slotRef(closure, error.id, `${scoped}.error`, false)]);
  const arms = [main, mended];
  return addOneOfArms(frame, { kind: SlotKind.fallback, name: scoped, where, arms, byArm: false }).result as never;
}

/**
 * Fails: an error that the author raises, with a message and data made of the run's values. What reads it is skipped; in
 * the body of a `fallback` it calls the handler.
 */
export function fail<P extends { message: string | RefOf<string, Scope>; data?: unknown }>(
  name: string,
  error: P,
  options: { after?: readonly RefOf<unknown, Scope>[] } = {},
): Ref<never, ScopeIn<P>> {
  const frame = frameFor("fail()");
  const scoped = takeName(frame, "this fail", name);
  const where = `fail ${scoped}`;
  checkKeys(where, options, ["after"]);
  if (typeof error !== "object" || error === null || !("message" in error))
    throw buildError(`${where} has no message`, 'write fail(name, { message: "…" })');
  checkKeys(`the error of ${where}`, error, ["message", "data"]);
  const { template, scope } = gather(frame, error, where);
  const after = afterSlots(frame, where, scope, options.after);
  const slot = addSlot(frame.builder, { kind: SlotKind.fail, scope, name: scoped, inputs: template, after });
  return slotRef(frame, slot.id, scoped, true) as Ref<never, ScopeIn<P>>;
}
