/**
 * Rule 6: the first unhandled failure in the body ends it. Unsafe bodies that run are awaited, the rest is swept, and then
 * the handler runs, once. The block is what came to its end last: the body, or the handler.
 */
import type { SlotPlan } from "../../../model/plan.ts";
import { fail, failureOf, resolve } from "../consequences.ts";
import { record } from "../failures.ts";
import { sweep } from "../sweep.ts";
import { at, slotOf, streamOf, type Block, type Failure, type Place, type World } from "../world.ts";
import { endBlock, openArm, openBlock, passedOn, resultIn } from "./arms.ts";

const BODY = 0;
const HANDLER = 1;

/** Ready to begin; or, when it has begun, its body failed. */
export function readyFallback(world: World, place: Place, slot: SlotPlan): void {
  const known = world.blocks.get(at(place, slot.id));
  if (known === undefined) openArm(world, openBlock(world, place, slot), BODY);
  else endBody(world, known);
}

function endBody(world: World, block: Block): void {
  const body = block.open.find(({ scope }) => scope.arm === BODY);
  if (block.decided || body === undefined) return;
  if (hasGivenItems(world, block)) breakOff(world, block, body);
  else if (sweep(world, body, "swept", true)) handle(world, block);
}

/**
 * Items of the body are out: what the handler gave could only come on top of them. Of a stream that was stopped, and all of
 * whose items are through, nobody takes any more.
 */
function hasGivenItems(world: World, { owner, plan }: Block): boolean {
  return plan.forwards.some((id) => {
    const stream = streamOf(world, owner, slotOf(world, id).stream);
    return stream !== undefined && stream.items > 0 && !(stream.ended && stream.open.length === 0);
  });
}

/** Then the failure of the body is the block's, and that of the streams that leave it. */
function breakOff(world: World, block: Block, body: Place): void {
  const [cause] = block.failures as [Failure];
  block.decided = true;
  fail(world, block.owner, block.slot, handlerFailed(world, block, cause, cause));
  if (sweep(world, body, "swept", true)) endBlock(world, block);
}

function handle(world: World, block: Block): void {
  block.decided = true;
  openArm(world, block, HANDLER, 0, { value: block.failures[0]?.error });
}

export function bodyClosed(world: World, block: Block, place: Place): void {
  const [cause] = block.failures;
  if (world.resolved.has(at(block.owner, block.slot.id))) return;
  if (place.scope.arm === BODY && cause !== undefined) {
    handle(world, block);
    return;
  }
  const how = resultIn(world, block, place, place.scope.arm);
  const failure = failureOf(how);
  const { owner, slot } = block;
  if (failure === null || cause === undefined) resolve(world, owner, slot, passedOn(how));
  else fail(world, owner, slot, handlerFailed(world, block, failure, cause));
  endBlock(world, block);
}

/** The handler's error is the block's, with the body's behind it. */
function handlerFailed(world: World, { owner, slot }: Block, failure: Failure, cause: Failure): Failure {
  return record(world, owner, slot, failure.error, 1, cause.error.input, { behind: cause });
}
