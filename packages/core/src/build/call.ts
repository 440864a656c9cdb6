import { buildError } from "../base/error.ts";
import { SlotKind, type Template } from "../model/plan.ts";
import { frameFor, type DraftSlot, type Frame, type Reads } from "./builder.ts";
import { afterSlots, applyStreamOptions, checkOpCall, type WrittenOptions } from "./call-options.ts";
import type { OpDefinition } from "./definition.ts";
import { refuseUncacheable } from "./cache-policy.ts";
import { bindLevel, refuseUnused, resolveNeeds } from "./bindings.ts";
import { gather, type Gathered } from "./gather.ts";
import { checkInput } from "./input-keys.ts";
import { AN_OPTION, takeName } from "./names.ts";
import { mergePolicies, refuseInlineTimeout } from "./policies.ts";
import { infoOf } from "./ref.ts";
import { shapeOf } from "./shape.ts";
import { addSlot } from "./slots.ts";
import { openStream, slotRef } from "./streams.ts";

/** A call of an op in a graph body: one node. */
export function callOp(definition: OpDefinition, input: unknown, options: WrittenOptions = {}): unknown {
  const { spec } = definition;
  const frame = frameFor(
    `op ${spec.name}`,
    `call it in the body given to graph(name, body), run it with engine.run(${spec.name}, input), or test its body with ${spec.name}.fn(input)`,
  );
  checkOpCall(`op ${spec.name}`, options);
  const name = takeName(frame, `this call of op ${spec.name}`, options.name ?? spec.name, AN_OPTION);
  const gathered = gatherInput(frame, input, name);
  checkInput(`op ${name}`, gathered.template, shapeOf(spec.input, "input"));
  const slot = addOpSlot(frame, definition, name, gathered, options);
  const reads: Reads = {
    owner: `the output of op ${name}`,
    shape: shapeOf(spec.output, "output"),
    strict: spec.output === null,
  };
  if (spec.kind === "generator" || spec.kind === "asyncGenerator") return openStream(frame, slot, name, true, reads);
  frame.builder.reads[slot.id] = reads;
  return slotRef(frame, slot.id, name, true);
}

/** The node of an op call: policies, order, lane. */
export function addOpSlot(
  frame: Frame,
  definition: OpDefinition,
  name: string,
  input: Gathered,
  options: WrittenOptions,
): DraftSlot {
  const { builder } = frame;
  const where = `op ${name}`;
  const parallel = applyStreamOptions(builder, where, input.scope, options);
  const slot = addSlot(builder, {
    kind: SlotKind.op,
    scope: input.scope,
    name,
    inputs: input.template,
    after: afterSlots(frame, where, input.scope, options.after),
    op: definition.spec,
    policies: policiesOf(where, definition, options),
    ordered: options.ordered === true,
  });
  slot.laneCapacity = parallel ?? frame.parallel;
  slot.resources = resourcesOf(frame, where, definition, options);
  return slot;
}

function policiesOf(where: string, definition: OpDefinition, options: WrittenOptions): OpDefinition["policies"] {
  const { retry, timeout, onFailure, cache } = options;
  if (retry === undefined && timeout === undefined && onFailure === undefined && cache === undefined)
    return definition.policies;
  const merged = mergePolicies(where, definition.spec.policies, options);
  refuseInlineTimeout(where, definition.spec.kind, merged);
  refuseUncacheable(where, definition.spec, merged);
  return merged;
}

function resourcesOf(
  { bindings }: Frame,
  where: string,
  { spec }: OpDefinition,
  { bind }: WrittenOptions,
): DraftSlot["resources"] {
  const own = bindLevel(where, bind);
  const resources = resolveNeeds(spec.needs, own === null ? bindings : [own, ...bindings]);
  if (own !== null) refuseUnused(own);
  return resources;
}

/** Calls take one record, or a ref of one. A call without input gives the body `{}`. */
export function gatherInput(frame: Frame, input: unknown, name: string): Gathered {
  if (input === undefined) return { template: { type: "object", keys: [], values: [] }, scope: frame.scope };
  if (infoOf(input) === undefined && (typeof input !== "object" || input === null || Array.isArray(input))) {
    throw buildError(
      `${name} was given ${input === null ? "null" : Array.isArray(input) ? "a list" : `a ${typeof input}`} as its input`,
      `calls take one record: ${name}({ key: value })`,
    );
  }
  const { template, scope } = gather(frame, input, name);
  return { template: ownRecord(template), scope };
}

/** A record of constants is put together anew for every invocation, so that a body that changes its input changes no other. */
function ownRecord(template: Template): Template {
  if (template.type !== "constant" || typeof template.value !== "object" || template.value === null) return template;
  if (Object.getPrototypeOf(template.value) !== Object.prototype) return template;
  const entries = Object.entries(template.value);
  return {
    type: "object",
    keys: entries.map(([key]) => key),
    values: entries.map(([, value]) => ({ type: "constant", value })),
  };
}
