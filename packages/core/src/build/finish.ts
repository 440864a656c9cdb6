import type { Finding, Plan } from "../model/plan.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";
import { anchorBlocks } from "./anchors.ts";
import type { Builder } from "./builder.ts";
import { contextsOf } from "./caller-context.ts";
import { refuseCrossBlocking } from "./cross-blocking.ts";
import { checkCells } from "./cell-order.ts";
import { markEphemeral } from "./ephemeral.ts";
import { findingsOf } from "./findings.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { freezePlan } from "./freeze.ts";
import { markHandled } from "./handled.ts";
import { migrationsOf } from "./migrations.ts";
import { linkPlan } from "./link.ts";
import { markPassedOn } from "./passed-on.ts";
import { refuseSelfBlocking } from "./slots.ts";

/** Everything that needs the whole graph: checks over it, adjacency, fingerprint. Then the plan is frozen. */
export function finishPlan(builder: Builder, output: number, input: StandardSchemaV1 | null, migrate?: unknown): Plan {
  applyBuffers(builder);
  for (const slot of builder.slots) refuseSelfBlocking(builder, slot, builder.ends[slot.id]!);
  checkCells(builder);
  refuseCrossBlocking(builder);
  anchorBlocks(builder);
  linkPlan(builder);
  markHandled(builder);
  markPassedOn(builder);
  markEphemeral(builder);
  const { graph: name, scopes, slots, streams, subgraphs, cells } = builder;
  const findings: Finding[] = findingsOf(builder);
  const fingerprint = fingerprintOf(builder);
  const names = slots.flatMap((slot) => (slot.name === "" ? [] : [slot.name]));
  return freezePlan({
    name,
    fingerprint,
    input,
    scopes,
    slots,
    streams,
    subgraphs,
    cells,
    resources: [...new Set(slots.flatMap((slot) => Object.values(slot.resources ?? {})))],
    elsewhere: [...new Set(slots.flatMap(({ op }) => (op?.bound === "cpu" ? [op.name] : [])))],
    contexts: contextsOf(builder),
    output,
    finalizers: builder.finalizers,
    migrations: migrationsOf({ graph: name, fingerprint, names }, migrate),
    findings,
  });
}

function applyBuffers(builder: Builder): void {
  for (const [stream, buffer] of builder.buffers) builder.streams[stream]!.buffer = buffer;
  for (const [stream, onFull] of builder.onFull) builder.streams[stream]!.onFull = onFull;
}
