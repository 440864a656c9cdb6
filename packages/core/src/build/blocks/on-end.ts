import { parseDuration, type Duration } from "../../base/duration.ts";
import { buildError } from "../../base/error.ts";
import type { ErrorEntry } from "../../events/record.ts";
import { SlotKind } from "../../model/plan.ts";
import type { Ref } from "../../model/ref.ts";
import { frameFor, RUN_SCOPE } from "../builder.ts";
import { takeName } from "../names.ts";
import { checkKeys } from "../options.ts";
import { addSlot } from "../slots.ts";
import { slotRef } from "../streams.ts";
import { openClosure, ownScopes, runArm, settle } from "./closure.ts";
import { blockPlan } from "./block-plan.ts";

const DEFAULT_TIMEOUT = 30_000;
const KEYS = ["status", "errors", "reason"];

/** What a finalizer is told. */
export interface RunEnding {
  readonly status: "completed" | "failed" | "cancelled";
  /** Failures so far, by node. */
  readonly errors: readonly ErrorEntry[];
  /** Why it was cancelled. */
  readonly reason?: string;
}

/**
 * Runs `body` once when the run is about to end, however it ends: completed, failed or cancelled. Then everything else of
 * the run is over; values that were made can be read, and what needs others does not run. The run ends as it was to end,
 * whatever the finalizer comes to, and at the latest after `timeout` (default 30 s).
 *
 * ```ts
 * onEnd("cleanUp", (end) => release({ lease: lease.id, status: end.status }));
 * ```
 */
export function onEnd(
  name: string,
  body: (end: Ref<RunEnding>) => unknown,
  options: { timeout?: Duration } = {},
): void {
  const frame = frameFor("onEnd()");
  const scoped = takeName(frame, "this finalizer", name);
  const where = `onEnd ${scoped}`;
  checkKeys(where, options, ["timeout"]);
  const timeout =
    options.timeout === undefined ? DEFAULT_TIMEOUT : parseDuration(options.timeout, `timeout of ${where}`);
  const { builder } = frame;
  const closure = openClosure(frame, { scope: RUN_SCOPE, prefix: `${scoped}/` });
  const told = addSlot(builder, {
    kind: SlotKind.item,
    scope: closure.scope,
    reads: {
      owner: `the end that ${where} is told`,
      shape: { keys: KEYS, required: new Set(KEYS), field: () => null },
      strict: false,
    },
  });
  runArm(closure, () => {
    body(slotRef(closure, told.id, `${scoped}.end`, false) as Ref<RunEnding>);
  });
  if (frame.scope !== RUN_SCOPE || settle(builder, RUN_SCOPE, [closure], where) !== RUN_SCOPE)
    throw buildError(
      `${where} belongs to an item or a block`,
      "finalizers belong to the run: declare it in the graph's own body",
      "ItemInRunScope",
    );
  const slot = addSlot(builder, {
    kind: SlotKind.finalizer,
    scope: RUN_SCOPE,
    name: scoped,
    block: blockPlan([closure.scope], { timeout }),
  });
  ownScopes(builder, slot.id, [closure]);
  builder.finalizers.push(slot.id);
}
