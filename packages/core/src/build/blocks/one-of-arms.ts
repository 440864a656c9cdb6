import type { SlotKind } from "../../model/plan.ts";
import type { Frame } from "../builder.ts";
import { oneSlot } from "../collectors.ts";
import { addSlot } from "../slots.ts";
import { blockPlan } from "./block-plan.ts";
import { checkTyped, ownScopes, settle, sourcesOf, type Arm } from "./closure.ts";
import { resultWithStreams, splitStreams, type Split } from "./leave.ts";

export interface OneOfArms {
  readonly kind: SlotKind;
  readonly name: string;
  /** How messages name it. */
  readonly where: string;
  readonly arms: readonly Arm[];
  /** A stream that leaves it ends with that of the arm, and not with the block. */
  readonly byArm: boolean;
}

interface Added {
  /** Its slot. */
  readonly block: number;
  readonly split: Split;
  readonly result: unknown;
}

/** A block whose result is what one of its arms returned, as a whole: `race` and `fallback`. */
export function addOneOfArms(frame: Frame, { kind, name, where, arms, byArm }: OneOfArms): Added {
  const { builder } = frame;
  const closures = arms.map((arm) => arm.frame);
  const home = settle(builder, frame.scope, closures, where);
  const split = splitStreams(builder, arms);
  const results = closures.map(({ scope }, arm) => oneSlot(builder, split.values[arm]!, scope));
  const scopes = closures.map(({ scope }) => scope);
  const { id: block } = addSlot(builder, {
    kind,
    scope: home,
    name,
    after: frame.after,
    block: blockPlan(scopes, { results }),
    reads: { owner: `the result of ${where}`, shape: null, strict: false },
  });
  ownScopes(builder, block, closures);
  checkTyped(frame, home, [...results, ...sourcesOf(arms)], where);
  return { block, split, result: resultWithStreams({ frame, block, home, arms }, split, name, byArm) };
}
