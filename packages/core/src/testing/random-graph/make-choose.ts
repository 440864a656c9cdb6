/** Random `when`, `given`, `route` and `match`. */
import { given, match, route, when } from "../../build/blocks/choose.ts";
import { derive } from "../../build/values.ts";
import { addBlock, fieldsOf, makeBody, recordOf, type Leaving, type Made } from "./block-body.ts";
import type { CaseParts } from "./case.ts";
import type { Step } from "./spec.ts";
import type { Known, Rolls, Wiring } from "./wiring.ts";

const loose = { derive, given, match, route, when } as unknown as Readonly<
  Record<string, (...given: unknown[]) => unknown>
>;
const kinds = ["when", "when", "given", "route", "match"] as const;
const keys = ["x", "y", "z"] as const;

interface Choosing {
  readonly parts: CaseParts;
  readonly name: string;
  readonly trigger: Known;
  readonly step: Step;
  readonly rolls: Rolls;
  /** Makes body 0 or 1, with what the block gives it. */
  readonly arm: (which: 0 | 1, given?: Known) => Record<string, unknown>;
  /** The second arm, or none. */
  readonly other: boolean;
}

export function makeChoose(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const trigger = wiring.pick(rolls.roll(), ["number", "maybe"]);
  if (trigger === undefined) return;
  const kind = kinds[rolls.below(kinds.length)] as (typeof kinds)[number];
  const other = rolls.chance(65);
  const bodies: Made[] = [];
  const leaves: Leaving = { levels: null };
  const arm: Choosing["arm"] = (which, known) => {
    const steps = step.bodies[which] ?? [];
    const given = known === undefined ? [] : [known];
    const made = makeBody(parts, { around: wiring, home: trigger.region, steps, given, rolls, leaves });
    bodies.push(made);
    return { ...recordOf(made), first: trigger.ref };
  };
  const choosing = { parts, name: `w${step.id}`, trigger, step, rolls, arm, other };
  const ref = make[kind](choosing);
  const always = kind === "match" || other;
  addBlock(wiring, ref, trigger.region, bodies, fieldsOf(bodies, always), [trigger]);
}

const make: Readonly<Record<(typeof kinds)[number], (choosing: Choosing) => unknown>> = {
  when: makeWhen,
  given: makeGiven,
  route: makeRoute,
  match: makeMatch,
};

/** A condition that may be neither true nor false, or another one after a crash. */
function makeWhen({ parts, name, trigger, step, rolls, arm, other }: Choosing): unknown {
  const broken = rolls.chance(8) && parts.failing > 0;
  const fickle = rolls.chance(20) && parts.mayRace;
  const { theatre } = parts;
  const fn = (n: number | null): unknown => {
    const sum = (n ?? 0) + step.id + (fickle ? theatre.mood : 0);
    return broken && sum % 3 === 0 ? sum : sum % 2 === 0;
  };
  if (broken) {
    parts.mayFail.add(name);
    parts.failing--;
  }
  if (fickle && !broken) parts.fickle.add(fn);
  if (fickle) parts.racy = true;
  const condition = loose.derive!(trigger.ref, fickle && broken ? (n: number | null) => (n ?? 0) % 2 === 0 : fn);
  return loose.when!(name, condition, () => arm(0), other ? () => arm(1) : undefined);
}

function makeGiven({ name, trigger, arm, other }: Choosing): unknown {
  const value = (ref: unknown): Known => ({ ...trigger, ref, type: "number", plain: false });
  return loose.given!(name, trigger.ref, (ref: unknown) => arm(0, value(ref)), other ? () => arm(1) : undefined);
}

function makeRoute({ parts, name, trigger, step, rolls, arm, other }: Choosing): unknown {
  const broken = !other && rolls.chance(15) && parts.failing > 0;
  if (broken) {
    parts.mayFail.add(name);
    parts.failing--;
  }
  const count = broken ? 2 : 1 + (other ? 1 : 0);
  const fn = (n: number | null): string => keys[((n ?? 0) + step.id) % count] as string;
  const key = loose.derive!(trigger.ref, fn);
  return loose.route!(name, key, { x: () => arm(0) }, other ? () => arm(1) : undefined);
}

function makeMatch({ name, trigger, step, arm }: Choosing): unknown {
  const fn = (n: number | null): unknown => ({ type: keys[((n ?? 0) + step.id) % 2], v: (n ?? 1) + 1 });
  const value = loose.derive!(trigger.ref, fn);
  const member = (ref: unknown): Known => ({
    ...trigger,
    ref: (ref as { readonly v: unknown }).v,
    type: "number",
    plain: false,
  });
  return loose.match!(name, value, "type", {
    x: (ref: unknown) => arm(0, member(ref)),
    y: (ref: unknown) => arm(1, member(ref)),
  });
}
