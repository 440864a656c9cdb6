/** Rule 6: iteration n+1 opens when iteration n closed; `until` decides first, and only what is needed next counts. */
import type { SlotPlan } from "../../../model/plan.ts";
import { fail, resolve } from "../consequences.ts";
import { record, recordThrown } from "../failures.ts";
import { inputOf } from "../values.ts";
import { Illegal, slotOf, type Block, type Place, type World } from "../world.ts";
import { openArm, openBlock, passedOn, resultIn } from "./arms.ts";
import { decide } from "./decide.ts";

const UNTIL = 0;
const NEXT = 1;
const RESULT = 2;

export function readyLoop(world: World, place: Place, slot: SlotPlan): void {
  let state: unknown;
  try {
    state = inputOf(world, place, slot);
  } catch (thrown) {
    if (thrown instanceof Illegal) throw thrown;
    fail(world, place, slot, recordThrown(world, place, slot, "EdgeFailed", thrown));
    return;
  }
  openArm(world, openBlock(world, place, slot), 0, 0, { value: state });
}

export function iterationClosed(world: World, block: Block, iteration: Place): void {
  const { owner, slot, plan } = block;
  const finish = (which: number): void =>
    resolve(world, owner, slot, passedOn(resultIn(world, block, iteration, which)));
  const until = resultIn(world, block, iteration, UNTIL);
  if (until.as !== "value" && until.as !== "untaken") {
    finish(UNTIL);
    return;
  }
  const ends = until.as === "value" && until.value === true ? 1 : 0;
  const fickle = world.fickle.has(slotOf(world, plan.results[UNTIL] as number).fn);
  const isLast = decide(world, iteration, slot, { due: fickle ? null : ends, from: [0, 1] }) === 1;
  const isOver = iteration.index + 1 === plan.max;
  if (isLast || (isOver && plan.onLimit === "exit")) finish(RESULT);
  else if (isOver) limitReached(world, block);
  else goOn(world, block, iteration);
}

function goOn(world: World, block: Block, iteration: Place): void {
  const next = resultIn(world, block, iteration, NEXT);
  if (next.as === "value") openArm(world, block, 0, iteration.index + 1, next);
  else resolve(world, block.owner, block.slot, passedOn(next));
}

function limitReached(world: World, { owner, slot, plan }: Block): void {
  const code = "LoopLimitExceeded";
  const message = `"${slot.name}" did not end within ${plan.max} iterations`;
  const error = { code, type: code, message, data: undefined };
  fail(world, owner, slot, record(world, owner, slot, error, 1, undefined));
}
