/** Nodes that meet the outside without a body: `emit`, `sleep`, `interrupt`. */
import { parseDuration, type Duration } from "../base/duration.ts";
import { buildError } from "../base/error.ts";
import { SlotKind, type AskPlan } from "../model/plan.ts";
import type { PerItem } from "../model/op.ts";
import type { Ref, RefOf, ScopeIn } from "../model/ref.ts";
import type { Scope } from "../model/scope.ts";
import type { InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";
import { frameFor } from "./builder.ts";
import { afterSlots, orderedOf } from "./call-options.ts";
import { gather } from "./gather.ts";
import { takeName } from "./names.ts";
import { checkKeys } from "./options.ts";
import { isSchema, shapeOf } from "./shape.ts";
import { addSlot } from "./slots.ts";
import { slotRef } from "./streams.ts";

interface After {
  /** Wait for these first, without reading them. */
  readonly after?: readonly RefOf<unknown, Scope>[];
}

interface EmitOptions<S extends Scope> extends After {
  /** Send what items give in the order the items were made, also if later ones are there before. Default: as they come. */
  readonly ordered?: PerItem<S, boolean>;
}

/**
 * Sends `payload` out to whoever follows the run, as a `custom` event under the node's name, and goes on at once. Sent
 * again after a crash when nobody can know whether it was received; `seq` tells.
 */
export function emit<P>(name: string, payload: P, options: EmitOptions<ScopeIn<P>> = {}): Ref<undefined, ScopeIn<P>> {
  const frame = frameFor("emit()");
  const scoped = takeName(frame, "this emit", name);
  const where = `emit ${scoped}`;
  checkKeys(where, options, ["after", "ordered"]);
  const { template, scope } = gather(frame, payload, where);
  const ordered = orderedOf(frame.builder, where, scope, options);
  const after = afterSlots(frame, where, scope, options.after);
  const slot = addSlot(frame.builder, { kind: SlotKind.emit, scope, name: scoped, inputs: template, after, ordered });
  return slotRef(frame, slot.id, scoped, true) as Ref<undefined, ScopeIn<P>>;
}

/**
 * Resolves when `duration` is over, counted from when everything in it and in `after` was there. The time it is due is
 * recorded: a crash does not begin it anew, and a run that only sleeps need not be in any process.
 */
export function sleep<D extends Duration | RefOf<Duration, Scope>>(
  name: string,
  duration: D,
  options: After = {},
): Ref<undefined, ScopeIn<D>> {
  const frame = frameFor("sleep()");
  const scoped = takeName(frame, "this sleep", name);
  const where = `sleep ${scoped}`;
  checkKeys(where, options, ["after"]);
  const { template, scope } = gather(frame, duration, where);
  if (template.type === "constant") parseDuration(template.value as Duration, `the duration of ${where}`);
  const after = afterSlots(frame, where, scope, options.after);
  const slot = addSlot(frame.builder, { kind: SlotKind.sleep, scope, name: scoped, inputs: template, after });
  return slotRef(frame, slot.id, scoped, true) as Ref<undefined, ScopeIn<D>>;
}

/** How a question is asked. */
export interface AskOptions<X extends StandardSchemaV1> extends After {
  /** What an answer must match; callers of `answer` give its input type, the graph gets its output type. */
  readonly answer: X;
  /** How long the answer is waited for. Default: for ever. */
  readonly timeout?: Duration;
  /** The answer when none came in time. Without it the node fails then, as `InterruptTimeout`. */
  readonly default?: InferOutput<X>;
  /** For people: what inboxes show. */
  readonly title?: string;
}

/**
 * Asks the outside and waits, for days if need be: human in the loop. `engine.answer(runId, name, value)` answers, from
 * any process with the backend. Nothing else of the run waits for it; a run of which nothing else is left is
 * `interrupted`.
 *
 * ```ts
 * const ok = interrupt("approve", { text: reply.text }, { answer: z.object({ approved: z.boolean() }), timeout: "3d" });
 * ```
 */
export function interrupt<P, X extends StandardSchemaV1>(
  name: string,
  payload: P,
  options: AskOptions<X>,
): Ref<InferOutput<X>, ScopeIn<P>> {
  const frame = frameFor("interrupt()");
  const scoped = takeName(frame, "this interrupt", name);
  const where = `interrupt ${scoped}`;
  checkKeys(where, options, ["answer", "timeout", "default", "title", "after"]);
  const { template, scope } = gather(frame, payload, where);
  const after = afterSlots(frame, where, scope, options.after);
  const slot = addSlot(frame.builder, {
    kind: SlotKind.ask,
    scope,
    name: scoped,
    inputs: template,
    after,
    ask: askPlan(where, options),
    reads: { owner: `the answer to ${where}`, shape: shapeOf(options.answer, "output"), strict: false },
  });
  return slotRef(frame, slot.id, scoped, true) as Ref<InferOutput<X>, ScopeIn<P>>;
}

function askPlan(where: string, options: AskOptions<StandardSchemaV1>): AskPlan {
  const { answer, timeout, title = "" } = options;
  if (!isSchema(answer))
    throw buildError(
      `${where} does not say what an answer is`,
      "give answer: a Standard Schema, such as z.object({ … })",
      "NotASchema",
    );
  if (typeof title !== "string") throw buildError(`title of ${where} is not a text`, 'write title: "…"');
  const hasDefault = "default" in options && options.default !== undefined;
  if (hasDefault && timeout === undefined)
    throw buildError(`${where} has a default, but waits for ever`, 'say how long: timeout: "3d"');
  return {
    answer,
    timeout: timeout === undefined ? 0 : Math.max(1, parseDuration(timeout, `timeout of ${where}`)),
    otherwise: hasDefault ? { value: options.default } : null,
    title,
  };
}
