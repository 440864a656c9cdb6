import { SlotKind, type Plan } from "../model/plan.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import { newBuilder, rootFrame, runIn, RUN_SCOPE, type Builder, type Frame } from "./builder.ts";
import { callOp } from "./call.ts";
import type { GraphDefinition, OpDefinition } from "./definition.ts";
import { finishPlan } from "./finish.ts";
import { INPUT_NAME, takeScoped } from "./names.ts";
import { resultOf, collectedResult } from "./result.ts";
import { shapeOf } from "./shape.ts";
import { addSlot } from "./slots.ts";
import { slotRef } from "./streams.ts";

/** Runs a graph's body in a builder of its own. */
export function buildGraph(definition: GraphDefinition): Plan {
  const { schema, body, migrate } = definition;
  return build(definition.name, definition, schema, (_frame, input) => body(input as never), migrate);
}

/** The plan of an op that is run by itself: one node, named like the op. */
export function buildOp(definition: OpDefinition): Plan {
  return build(definition.name, definition, null, (_frame, input) => callOp(definition, input));
}

function build(
  name: string,
  definition: object,
  schema: StandardSchemaV1 | null,
  body: (frame: Frame, input: unknown) => unknown,
  migrate?: unknown,
): Plan {
  const builder = newBuilder(name);
  const frame = rootFrame(builder, definition);
  const input = inputRef(builder, frame, schema);
  const result = runIn(frame, () => resultOf(frame, body(frame, input)));
  const output = addSlot(builder, {
    kind: SlotKind.record,
    scope: RUN_SCOPE,
    inputs: collectedResult(builder, result),
  });
  return finishPlan(builder, output.id, schema, migrate);
}

function inputRef(builder: Builder, frame: Frame, schema: StandardSchemaV1 | null): unknown {
  takeScoped(frame, "the input", INPUT_NAME);
  const reads = { owner: `the input of graph ${builder.graph}`, shape: shapeOf(schema, "output"), strict: false };
  const slot = addSlot(builder, { kind: SlotKind.input, scope: RUN_SCOPE, name: INPUT_NAME, reads });
  return slotRef(frame, slot.id, INPUT_NAME, true);
}
