import { buildError } from "../../base/error.ts";
import { SlotKind, type Template } from "../../model/plan.ts";
import type { Ref, ScopeIn, Unref } from "../../model/ref.ts";
import { frameFor, type Builder } from "../builder.ts";
import { NOTHING } from "../field.ts";
import { checkName, takeName } from "../names.ts";
import { isWithin } from "../scopes.ts";
import { openClosure, runArm } from "./closure.ts";
import { addOneOfArms, type OneOfArms } from "./one-of-arms.ts";

/**
 * Runs all arms; the first that has a value is the result, and the others are aborted. It fails when every arm fails.
 * Ops whose effect is `unsafe` cannot be in a race: losing would leave half of their work behind.
 */
export function race<A extends { readonly [arm: string]: () => unknown }>(
  name: string,
  arms: A,
): Ref<Unref<ReturnType<A[keyof A]>>, ScopeIn<ReturnType<A[keyof A]>>> {
  const frame = frameFor("race()");
  const scoped = takeName(frame, "this race", name);
  const where = `race ${scoped}`;
  const entries = typeof arms === "object" && arms !== null ? Object.entries(arms) : [];
  if (entries.length === 0) throw buildError(`${where} has no arms`, "give { arm: () => …, other: () => … }");
  const { builder } = frame;
  const ran = entries.map(([arm, body]) => {
    checkName(`an arm of ${where}`, arm);
    return runArm(openClosure(frame, { scope: frame.scope, prefix: `${scoped}/${arm}/` }), body);
  });
  for (const arm of ran) refuseUnsafe(builder, arm.frame.scope, where);
  const race: OneOfArms = { kind: SlotKind.race, name: scoped, where, arms: ran, byArm: true };
  const { block, split, result } = addOneOfArms(frame, race);
  if (split.values.every(isEmpty)) raceStreams(builder, block, where);
  return result as never;
}

function isEmpty(value: Template): boolean {
  return value === NOTHING || (value.type === "object" && value.keys.length === 0);
}

/** Arms that return streams only win by their first item, or by ending without any. */
function raceStreams(builder: Builder, block: number, where: string): void {
  const plan = builder.slots[block]!.block!;
  const [first] = plan.forwards;
  const lacking = first === undefined ? -1 : builder.slots[first]!.arms!.from.indexOf(-1);
  if (lacking >= 0)
    throw buildError(
      `arm ${builder.scopes[plan.scopes[lacking]!]!.name} of ${where} returns no stream, and the others do`,
      "return the same stream from all arms",
    );
  if (first !== undefined) builder.slots[block]!.block = { ...plan, results: builder.slots[first]!.arms!.from };
}

function refuseUnsafe(builder: Builder, scope: number, where: string): void {
  const unsafe = builder.slots.find((slot) => slot.op?.effect === "unsafe" && isWithin(builder, slot.scope, scope));
  if (unsafe === undefined) return;
  throw buildError(
    `${unsafe.name} is unsafe and in an arm of ${where}: a lost race would cut it off`,
    "race what can be run again, and call it afterwards with the winner's value",
    "UnsafeInRace",
  );
}
