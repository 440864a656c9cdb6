/** A stream of streams in the body of a block, for it to let out: few bodies come to one by the dice alone. */
import { each } from "../../build/each.ts";
import { derive } from "../../build/values.ts";
import type { CaseParts } from "./case.ts";
import { zip } from "../../build/zip.ts";
import { link, newRegion, type Known, type Rolls, type Wiring } from "./wiring.ts";

const loose = { derive, each, zip } as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;

/** Made before anything else in the body, so that some ops read it, and some of it is empty. */
export function makeNested(parts: CaseParts, wiring: Wiring, rolls: Rolls): void {
  const { home, deepest } = wiring;
  const list = wiring.pick(rolls.roll(), ["list"], ({ region }) => region === home);
  if (list === undefined || home.depth + 2 > deepest) return;
  const item = add(parts, wiring, list, "outers");
  const few = 1 + rolls.below(3);
  const inner = add(parts, wiring, listWithin(item, few), "inners");
  if (rolls.chance(35)) pairWithin(wiring, inner, add(parts, wiring, listWithin(item, few + 1), "others"), rolls);
}

function listWithin(item: Known, most: number): Known {
  const ref = loose.derive!(item.ref, (n: number) => Array.from({ length: n % (most + 1) }, (_, i) => n + i));
  return { ...item, ref, type: "list" };
}

/** Pairs may leave as well as items; of streams that are often of different length. */
function pairWithin(wiring: Wiring, l: Known, r: Known, rolls: Rolls): void {
  const region = newRegion(l.region.outer);
  link([l.region, r.region, region]);
  const options = { name: "pairs", uneven: rolls.chance(70) ? "stop" : "fail" };
  const pair = loose.zip!({ l: l.ref, r: r.ref }, options) as { readonly l: unknown };
  wiring.add({ ...l, ref: pair.l, region, plain: false });
}

function add(parts: CaseParts, wiring: Wiring, list: Known, name: string): Known {
  const ref = loose.each!(list.ref, { name });
  parts.untouched.add(ref);
  return wiring.add({ ref, type: "number", region: newRegion(list.region), ends: list.ends, plain: false });
}
