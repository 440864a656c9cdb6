/**
 * Failures (rule 10): recorded once, at the node they happened in, and shared by everything they skip.
 *
 * F1  Every `failed` slot has exactly one entry; `skipped` slots have none of their own and name the root.
 * F2  Under `errors: "raise"` the first failure that no path handles ends the run.
 */
import { withoutKnownSecrets } from "../secrets/redact-error.ts";
import { describeError } from "../base/describe-error.ts";
import { explain, type MessageName, type ValuesOf } from "../base/error.ts";
import type { ErrorEntry, OpError } from "../events/record.ts";
import type { SlotPlan } from "../model/plan.ts";
import { enclosing, type Context } from "../state/context.ts";
import { FailureLog, type Failure } from "../state/failure.ts";
import { EdgeError } from "../state/program.ts";
import { contextPath, nodePath, pathOf } from "../state/path.ts";
import { regionAround, type Region } from "../state/region.ts";
import type { RunState } from "../state/run-state.ts";
import type { StreamInstance } from "../state/stream.ts";
import type { AttemptError } from "./event.ts";
import { markReady } from "./queue.ts";

export function recordFailure(
  run: RunState,
  context: Context,
  slot: SlotPlan,
  error: AttemptError,
  attempts: number,
  input: unknown,
  { source, cause }: { readonly source?: SlotPlan | undefined; readonly cause?: Failure | undefined } = {},
): Failure {
  const { plan } = run.program;
  const anchor = source ?? plan.slots[slot.anchor] ?? slot;
  const where = enclosing(context, plan.scopes[anchor.scope]?.depth ?? 0);
  const failure: Failure = {
    error: {
      node: anchor.name,
      path: nodePath(plan, where, anchor.id),
      code: error.code,
      type: error.type,
      message: error.message,
      attempts,
      input,
      data: error.data,
      ...behind(cause, error.causes),
    },
    anchor: anchor.id,
    handled: slot.handled,
    ...(error.at === undefined ? {} : { at: error.at }),
  };
  const ends = { failure, raises: !failure.handled && raises(run, slot), catcher: slot.catcher };
  const region = regionOf(context, slot);
  if (region === null) noteFailure(run, context, ends, cause);
  else noteInside(run, region, context, ends, cause);
  return failure;
}

type Cut = NonNullable<Region["cut"]>;

/** F2 */
function noteFailure(run: RunState, context: Context, ends: Cut, cause: Failure | undefined): void {
  logOf(run).add(ends.failure, cause?.error.node);
  breakOff(run, context, ends);
}

/** Z1, Z3 */
function noteInside(
  run: RunState,
  { region, plan }: StreamInstance,
  context: Context,
  ends: Cut,
  cause: Failure | undefined,
): void {
  const { failure, raises, catcher } = ends;
  (region as Region).failures.add(failure, cause?.error.node);
  const isInside = catcher >= 0 && isIn(run, catcher, plan.id);
  if (isInside) catchFailure(context, catcher, failure);
  else if (raises || catcher >= 0) cut(run, region as Region, ends);
}

/** Z1: the failure is of an item of an ephemeral generator, or of a fold of them. */
function regionOf(context: Context, slot: SlotPlan): StreamInstance | null {
  if (slot.collect === null) return regionAround(context);
  const stream = context.streams?.find(({ plan }) => plan.id === slot.collect?.stream);
  return stream !== undefined && stream.region !== null ? stream : regionAround(context);
}

/** The fallback is in the items of that stream. */
function isIn({ program }: RunState, fallback: number, stream: number): boolean {
  return program.scopes[(program.slots[fallback] as SlotPlan).scope]?.ephemeral === stream;
}

/** Z3. While finalizers are at work nothing raises any more. */
function cut(run: RunState, region: Region, ends: Cut): void {
  if (region.cut !== null || (ends.raises && run.ending !== null)) return;
  region.cut = ends;
  const stream = findRegion(region);
  if (stream !== undefined) (run.regions ??= []).push(stream);
}

function findRegion({ pending }: Region): StreamInstance | undefined {
  return pending.context.streams?.find(({ region }) => region?.pending === pending);
}

/** What the failure ends, if anything. */
export function breakOff(run: RunState, context: Context, { failure, raises, catcher }: Cut): void {
  if (raises && run.raised === null) run.raised = failure;
  if (catcher >= 0) catchFailure(context, catcher, failure);
}

/** What failed among items that come to the run all at once. */
export function mergeFailures(run: RunState, entries: readonly ErrorEntry[]): void {
  if (entries.length > 0) logOf(run).merge(entries);
}

function behind(cause: Failure | undefined, causes: OpError["causes"]): Pick<OpError, "cause" | "causes"> {
  return { ...(cause !== undefined && { cause: briefly(cause) }), ...(causes !== undefined && { causes }) };
}

function briefly({ error: { node, path, code, message } }: Failure): NonNullable<OpError["cause"]> {
  return { node, path, code, message };
}

/** The body of a fallback is over; its block hears of it when the queue gets there. */
function catchFailure(context: Context, catcher: number, failure: Failure): void {
  let at: Context | null = context;
  while (at !== null && (at.block?.slot.id !== catcher || at.scope.arm !== 0)) at = at.parent;
  const block = at?.block ?? null;
  if (block === null || block.decided) return;
  block.failures ??= [];
  block.failures.push(failure);
  if (block.failures.length === 1) markReady(block.owner, block.slot);
}

/** A fallback whose handler failed too: the handler's error is the block's, with the body's behind it. */
export function blockFailed(run: RunState, context: Context, slot: SlotPlan, own: Failure, cause: Failure): Failure {
  return recordFailure(run, context, slot, own.error, 1, cause.error.input, { cause });
}

function logOf(run: RunState): FailureLog {
  return (run.failures ??= new FailureLog());
}

function raises(run: RunState, slot: SlotPlan): boolean {
  const own = slot.policies?.onFailure ?? null;
  return own === null ? run.raise : own === "raise";
}

/** A user function in an edge, reducer or merge threw: that is the failure of the nearest named source. */
export function thrownFailure(
  run: RunState,
  context: Context,
  slot: SlotPlan,
  code: string,
  thrown: unknown,
  input: unknown,
): Failure {
  return recordFailure(run, context, slot, describeThrown(code, thrown), 1, input);
}

/** A failure of the engine's own finding, as it is written in `messages/*.md`. */
export function ownError<N extends MessageName>(name: N, values: ValuesOf<N>): AttemptError {
  const { code, message } = explain(name, values);
  return { code, type: code, message, data: undefined };
}

/** K2: the slot waits for something that will never come. */
export function stalled(run: RunState, context: Context, slot: SlotPlan): Failure {
  const what = slot.name === "" ? "an edge" : `"${slot.name}"`;
  const error = ownError("Stalled", { what, context: contextPath(run.program.plan, context) });
  return recordFailure(run, context, slot, error, 0, undefined);
}

/** Reported at the source whose value was not as it should be, if that is known. */
export function edgeFailed(run: RunState, context: Context, slot: SlotPlan, thrown: unknown): Failure {
  const source = thrown instanceof EdgeError ? run.program.plan.slots[thrown.slot] : undefined;
  return recordFailure(run, context, slot, describeThrown("EdgeFailed", thrown), 1, undefined, { source });
}

function describeThrown(code: string, thrown: unknown): AttemptError {
  return { ...withoutKnownSecrets(describeError(thrown)), code, data: undefined };
}

/** A subgraph one of whose outputs failed gets an entry that points at the cause, once per context. */
export function reportBoundaries(run: RunState, context: Context, slot: SlotPlan, value: unknown): void {
  const cause = value as Failure;
  run.reported ??= new Map();
  let reported = run.reported.get(context);
  if (reported === undefined) run.reported.set(context, (reported = new Set()));
  for (const index of slot.boundaries) {
    if (!reported.has(index)) {
      reported.add(index);
      reportSubgraph(run, context, index, cause);
    }
  }
}

function reportSubgraph(run: RunState, context: Context, index: number, cause: Failure): void {
  const subgraph = run.program.plan.subgraphs[index];
  if (subgraph === undefined) return;
  const { error } = cause;
  const entry: Failure = {
    error: {
      ...error,
      node: subgraph.name,
      path: pathOf(run.program.plan, context, subgraph.name),
      code: "SubgraphFailed",
      message: explain("SubgraphFailed", { node: error.node, message: error.message }).message,
    },
    anchor: cause.anchor,
    handled: cause.handled,
  };
  (regionAround(context)?.region?.failures ?? logOf(run)).add(entry, error.node);
}
