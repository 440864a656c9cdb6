import { buildError } from "../base/error.ts";
import type { OpSpec } from "../model/op-spec.ts";
import { bindLevel, refuseUnused, type BindLevel } from "./bindings.ts";
import { frameFor, RUN_SCOPE, runIn, type Builder, type Frame } from "./builder.ts";
import { addOpSlot, gatherInput } from "./call.ts";
import { boundedFrame, leaveCallee } from "./blocks/bounded.ts";
import { afterSlots, applyStreamOptions, checkGraphCall, totalOf, type WrittenOptions } from "./call-options.ts";
import type { GraphDefinition, OpDefinition } from "./definition.ts";
import { eachSource, type Gathered } from "./gather.ts";
import { checkInput } from "./input-keys.ts";
import { AN_OPTION, INPUT_NAME, takeName, takeScoped } from "./names.ts";
import { mergePolicies } from "./policies.ts";
import { makeRef } from "./ref.ts";
import { callResult, resultOf, type Result } from "./result.ts";
import { isWithin } from "./scopes.ts";
import { shapeOf } from "./shape.ts";

/**
 * A call of a graph in another's body. The called body runs again, in the caller's builder: its nodes live in the scope
 * of the call, under the call's name, and its input reads resolve to what the caller passed.
 */
export function callGraph(definition: GraphDefinition, input: unknown, options: WrittenOptions = {}): unknown {
  const caller = frameFor(
    `graph ${definition.name}`,
    `call it in the body of another graph, or run it with engine.run(${definition.name}, input)`,
  );
  refuseRecursion(caller, definition);
  checkGraphCall(`graph ${definition.name}`, options);
  const name = takeName(caller, `this call of graph ${definition.name}`, options.name ?? definition.name, AN_OPTION);
  const gathered = gatherInput(caller, input, name);
  checkInput(`graph ${name}`, gathered.template, shapeOf(definition.schema, "input"));
  const binds = bindLevel(`graph ${name}`, options.bind);
  const { builder } = caller;
  const limit = totalOf(`graph ${name}`, options);
  const beside = calleeFrame(caller, definition, name, gathered, options, binds);
  const frame = limit === 0 ? beside : boundedFrame(beside);
  const index = builder.subgraphs.length;
  builder.subgraphs.push({ name, graph: definition.name, scope: frame.scope });
  const first = builder.slots.length;
  const passed = inputOf(frame, definition, gathered);
  const result = runIn(frame, () => resultOf(frame, definition.body(passed as never)));
  if (binds !== null) refuseUnused(binds);
  markBoundaries(frame, result, index, first);
  const inside = callResult(frame, result);
  typeByInput(builder, gathered, first);
  const call = { caller, beside, frame, name, inputs: gathered.template, limit };
  const template = limit === 0 ? inside.template : leaveCallee(call, result.type, inside.template);
  const kind = result.type === "whole" ? "value" : inside.streams ? "streams" : "record";
  return makeRef({ frame: caller, template, label: name, named: true, key: `g${index}`, kind });
}

function calleeFrame(
  caller: Frame,
  definition: GraphDefinition,
  name: string,
  input: Gathered,
  options: WrittenOptions,
  binds: BindLevel | null,
): Frame {
  const { builder } = caller;
  const where = `graph ${name}`;
  const parallel = applyStreamOptions(builder, where, input.scope, options) ?? caller.parallel;
  const after = afterSlots(caller, where, input.scope, options.after);
  return {
    builder,
    id: builder.frames++,
    parent: caller,
    closure: false,
    definition,
    graph: definition.name,
    prefix: `${name}/`,
    scope: input.scope,
    parallel,
    after,
    bindings: binds === null ? caller.bindings : [binds, ...caller.bindings],
  };
}

/** What the callee's body sees as its input: the caller's arguments, through the schema if it has one. */
function inputOf(frame: Frame, definition: GraphDefinition, given: Gathered): unknown {
  const label = frame.prefix + INPUT_NAME;
  const { schema } = definition;
  if (schema === null)
    return makeRef({ frame, template: given.template, label, named: true, key: `i${frame.id}`, kind: "value" });
  const name = takeScoped(frame, "the validation of the input", label);
  const slot = addOpSlot(frame, validationOf(definition), name, { ...given, scope: frame.scope }, {});
  frame.builder.reads[slot.id] = {
    owner: `the input of graph ${definition.name}`,
    shape: shapeOf(schema, "output"),
    strict: false,
  };
  return makeRef({
    frame,
    template: { type: "source", source: { slot: slot.id, path: [], strict: false } },
    label,
    named: true,
    key: `i${frame.id}`,
    kind: "value",
  });
}

/** The pure op that validates the input of a graph call: its body gets what the schema gave. */
function validationOf({ name, schema }: GraphDefinition): OpDefinition {
  const spec: OpSpec = Object.freeze({
    name: INPUT_NAME,
    kind: "inline",
    run: (input: never): unknown => input,
    input: schema,
    output: null,
    effect: "pure",
    version: "",
    onResume: "verify",
    transient: false,
    bound: null,
    policies: Object.freeze({}),
    needs: null,
    context: null,
  });
  return {
    type: "op",
    name: INPUT_NAME,
    spec,
    policies: mergePolicies(`the input of graph ${name}`, {}, {}),
    plan: null,
  };
}

/** A call is typed by its input: whatever it returns exists as often as that does. */
function typeByInput(builder: Builder, { template }: Gathered, first: number): void {
  const { typed } = builder;
  let given = RUN_SCOPE;
  eachSource(template, ({ slot }) => {
    if (isWithin(builder, typed[slot]!, given)) given = typed[slot]!;
  });
  for (let id = first; id < typed.length; id++) if (isWithin(builder, given, typed[id]!)) typed[id] = given;
}

/** Slots of the callee that its result names: a failure there is the subgraph's too. */
function markBoundaries(frame: Frame, result: Result, index: number, first: number): void {
  for (const part of result.parts) {
    eachSource(part.template, ({ slot }) => {
      for (const returned of [slot, ...sourcesAround(frame, slot)]) {
        const { boundaries } = frame.builder.slots[returned]!;
        if (returned >= first && !boundaries.includes(index)) boundaries.push(index);
      }
    });
  }
}

/** A returned item fails with its stream: the sources of the streams around it are part of the result. */
function sourcesAround({ builder, scope }: Frame, slot: number): number[] {
  const sources: number[] = [];
  let at = builder.scopes[builder.slots[slot]!.scope]!;
  while (at.id !== scope && at.parent >= 0) {
    if (at.stream >= 0) sources.push(builder.streams[at.stream]!.source);
    at = builder.scopes[at.parent]!;
  }
  return sources;
}

function refuseRecursion(caller: Frame, definition: GraphDefinition): void {
  const chain: string[] = [definition.name];
  for (let at: Frame | null = caller; at !== null; at = at.parent) {
    if (at.closure) continue;
    chain.unshift(at.graph);
    if (at.definition !== definition) continue;
    throw buildError(
      `graph ${definition.name} calls itself: ${chain.join(" > ")}`,
      "graphs are flattened when they are built, so they cannot recurse; loop inside an op",
      "Recursion",
    );
  }
}
