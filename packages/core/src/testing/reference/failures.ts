/** Rule 10: failures are recorded once, where they happened; a subgraph that returns one gets an entry of its own. */
import { MillraceError } from "../../base/error.ts";
import type { ErrorEntry } from "../../events/record.ts";
import type { SlotPlan } from "../../model/plan.ts";
import { MissingKey } from "./values.ts";
import { ready } from "./consequences.ts";
import { handlingOf } from "./handled.ts";
import { nodePathOf } from "./paths.ts";
import { at, slotOf, type Failure, type Place, type World } from "./world.ts";

/** What failed, before anybody knows where. */
export interface Cause {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly data: unknown;
}

export function record(
  world: World,
  place: Place,
  slot: SlotPlan,
  cause: Cause,
  attempts: number,
  input: unknown,
  { anchorId = slot.anchor, behind }: { readonly anchorId?: number; readonly behind?: Failure } = {},
): Failure {
  const anchor = slotOf(world, anchorId);
  const { code, type, message, data } = cause;
  const error = {
    node: anchor.name,
    path: nodePathOf(world, outTo(place, world.plan.scopes[anchor.scope]?.depth ?? 0), anchor.name),
    code,
    type,
    message,
    attempts,
    input,
    data,
    ...(behind === undefined ? {} : { cause: briefly(behind) }),
  };
  const { handled, catcher } = handlingOf(world.plan, slot);
  const failure: Failure = { error, anchor: anchor.id, handled };
  addEntry(world, failure, behind?.error.node);
  const raises = !handled && (world.raise || slot.policies?.onFailure === "raise");
  tell(world, place, slot, { failure, raises, catcher });
  return failure;
}

/** What the failure ends. */
function tell(world: World, place: Place, slot: SlotPlan, cut: NonNullable<World["cut"]>): void {
  const { failure, raises, catcher } = cut;
  const region = regionOf(world, place, slot);
  if (region >= 0 && endsAround(world, region, raises, catcher)) world.cut ??= cut;
  else if (catcher >= 0) tellFallback(world, place, catcher, failure);
  if (region < 0 && raises) world.raised = true;
}

/** The run, unless it comes to its end already, or the body of a fallback outside. */
function endsAround(world: World, region: number, raises: boolean, catcher: number): boolean {
  return (raises && world.ending === null) || (catcher >= 0 && !isIn(world, catcher, region));
}

/** Rule of ephemeral generators: what fails among their items, or in a fold of these, ends nothing outside by itself. */
function regionOf({ plan }: World, { scope }: Place, { collect }: SlotPlan): number {
  const of = plan.streams[collect?.stream ?? -1];
  return of?.ephemeral === true ? of.id : scope.ephemeral;
}

function isIn({ plan }: World, fallback: number, region: number): boolean {
  return plan.scopes[plan.slots[fallback]?.scope ?? 0]?.ephemeral === region;
}

export function addEntries(world: World, entries: readonly ErrorEntry[]): void {
  for (const entry of entries) {
    const known = world.errors.get(entry.node);
    const { count, handled } = entry;
    if (known === undefined) world.errors.set(entry.node, entry);
    else world.errors.set(entry.node, { ...known, count: known.count + count, handled: known.handled && handled });
  }
}

function briefly({ error: { node, path, code, message } }: Failure): NonNullable<Failure["error"]["cause"]> {
  return { node, path, code, message };
}

/** Rule 6: the first failure that nothing in the body of a fallback handles ends the body. */
export function tellFallback(world: World, place: Place, catcher: number, failure: Failure): void {
  for (let around: Place | null = place; around !== null; around = around.outer) {
    const { block } = around;
    if (block?.slot.id !== catcher || around.scope.arm !== 0) continue;
    if (block.decided) return;
    block.failures.push(failure);
    if (block.failures.length === 1) ready(world, block.owner, block.slot);
    return;
  }
}

/** A function of the author's threw. */
export function recordThrown(
  world: World,
  place: Place,
  slot: SlotPlan,
  code: string,
  thrown: unknown,
  input?: unknown,
): Failure {
  const own = thrown instanceof MillraceError ? thrown.code : undefined;
  const type = own ?? (thrown instanceof Error ? thrown.name : typeof thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const anchor = thrown instanceof MissingKey ? thrown.anchor : slot.anchor;
  return record(world, place, slot, { code, type, message, data: undefined }, 1, input, {
    anchorId: anchor,
  });
}

/** The place that deep around `place`, or `place` itself when it is not so deep. */
function outTo(place: Place, depth: number): Place {
  return place.outer === null || place.scope.depth <= depth ? place : outTo(place.outer, depth);
}

function addEntry(world: World, failure: Failure, cause?: string): void {
  const { node, path, code, type, message, attempts } = failure.error;
  const { handled } = failure;
  const known = world.errors.get(node);
  if (known === undefined) {
    world.errors.set(node, {
      node,
      path,
      code,
      type,
      message,
      attempts,
      count: 1,
      handled,
      ...(cause === undefined ? {} : { cause }),
    });
  } else {
    world.errors.set(node, { ...known, count: known.count + 1, handled: known.handled && handled });
  }
}

/** `slot` is an output of subgraph calls and failed: each call says so once per place, pointing at the cause. */
export function recordBoundaries(world: World, place: Place, slot: SlotPlan, failure: Failure): void {
  for (const index of slot.boundaries) {
    const subgraph = world.plan.subgraphs[index];
    const key = at(place, index);
    if (subgraph === undefined || world.reported.has(key)) continue;
    world.reported.add(key);
    const { error } = failure;
    const entry = {
      ...error,
      node: subgraph.name,
      path: nodePathOf(world, place, subgraph.name),
      code: "SubgraphFailed",
      message: `"${error.node}" failed: ${error.message}`,
    };
    addEntry(world, { ...failure, error: entry }, error.node);
  }
}
