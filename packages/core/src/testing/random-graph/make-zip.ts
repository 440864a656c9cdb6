/** Random zips and sweeps. */
import { collect } from "../../build/collectors.ts";
import { derive } from "../../build/values.ts";
import { each } from "../../build/each.ts";
import { sweep } from "../../build/sweep.ts";
import { zip } from "../../build/zip.ts";
import type { CaseParts } from "./case.ts";
import type { Step } from "./spec.ts";
import {
  endsOf,
  isWithin,
  link,
  mayMeet,
  newRegion,
  type Known,
  type KnownType,
  type Region,
  type Rolls,
  type Wiring,
} from "./wiring.ts";

const loose = { collect, derive, each, sweep, zip } as unknown as Readonly<
  Record<string, (...given: unknown[]) => unknown>
>;

const pairable: readonly KnownType[] = ["number", "maybe", "list"];

export function makeZip(_parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const whole = rolls.chance(50) ? wholeNested(wiring, rolls) : undefined;
  const l = whole ?? wiring.pick(rolls.roll(), pairable, ({ region }) => region.depth > wiring.home.depth);
  if (l === undefined) return;
  const r = wiring.pick(rolls.roll(), pairable, (known) => mayMeet(l, known)) ?? freshPartner(wiring, step, rolls, l);
  if (r === undefined) return;
  const ends = endsOf([l, r]);
  const region = newRegion(l.region.outer);
  link([l.region, r.region, region]);
  const uneven = rolls.chance(60) ? "stop" : "fail";
  const ref = loose.zip!({ l: l.ref, r: r.ref }, { name: `z${step.id}`, uneven });
  const fields = ref as { readonly l: unknown; readonly r: unknown };
  for (const [known, field] of [
    [l, fields.l],
    [r, fields.r],
  ] as const)
    wiring.add({ ref: field, type: known.type, region, ends, plain: false });
}

/** All of a stream in the items of a stream that left a block or is paired: few steps come to one by the dice alone. */
function wholeNested(wiring: Wiring, rolls: Rolls): Known | undefined {
  const { depth } = wiring.home;
  const inner = wiring.pick(
    rolls.roll(),
    ["number"],
    ({ region }) => region.depth > depth + 1 && region.linked.size > 0,
  );
  if (inner === undefined) return undefined;
  const { outer } = inner.region;
  const ref = loose.collect!(inner.ref, rolls.chance(60) ? { errors: "skip" } : {});
  return wiring.add({
    ref,
    type: "list",
    region: outer as Region,
    ends: new Set([...inner.ends, inner.region]),
    plain: false,
  });
}

/** A stream for the items of another one to be paired with, beside that. */
function freshPartner(wiring: Wiring, step: Step, rolls: Rolls, l: Known): Known | undefined {
  const outer = l.region.outer as Region;
  const list = wiring.pick(rolls.roll(), ["list"], ({ region }) => region === outer);
  if (list === undefined) return undefined;
  const region = newRegion(outer);
  const known: Known = { ref: undefined, type: "number", region, ends: list.ends, plain: true };
  if (!mayMeet(l, known)) return undefined;
  return wiring.add({ ...known, ref: loose.each!(list.ref, { name: `p${step.id}` }) });
}

/** Who is still there to be swept is a matter of time. */
export function makeSweep(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  if (!parts.mayRace) return;
  const on = wiring.pick(rolls.roll(), ["number", "maybe"]);
  if (on === undefined) return;
  const targets = [rolls.roll(), rolls.roll()].flatMap(
    (roll) => wiring.pick(roll, ["number", "maybe", "list", "output"], ({ region }) => isTarget(region, on)) ?? [],
  );
  const cancel = targets.slice(0, 1 + rolls.below(2)).map(({ ref }) => ref);
  if (cancel.length === 0) return;
  parts.racy = true;
  const fickle = rolls.chance(20);
  const { theatre } = parts;
  const fn = (n: number | null): boolean => ((n ?? 0) + step.id + (fickle ? theatre.mood : 0)) % 2 === 0;
  if (fickle) parts.fickle.add(fn);
  const ref = sweepMaybe(`k${step.id}`, { on: loose.derive!(on.ref, fn), cancel });
  if (ref === undefined) return;
  wiring.add({ ref, type: "number", region: on.region, ends: endsOf([on, ...wiring.after]), plain: false });
}

/** In a body per item the wiring takes everything to be made per item; of some things the build knows better. */
function sweepMaybe(name: string, options: unknown): unknown {
  try {
    return loose.sweep!(name, options);
  } catch {
    return undefined;
  }
}

function isTarget(region: Known["region"], on: Known): boolean {
  return region.depth > 0 && isWithin(region, on.region);
}
