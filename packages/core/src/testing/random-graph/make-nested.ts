/** A stream of streams in the body of a block, for it to let out: few bodies come to one by the dice alone. */
import { each } from "../../build/each.ts";
import { derive } from "../../build/values.ts";
import type { CaseParts } from "./case.ts";
import { newRegion, type Known, type Rolls, type Wiring } from "./wiring.ts";

const loose = { derive, each } as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;

/** Made before anything else in the body, so that some ops read it, and some of it is empty. */
export function makeNested(parts: CaseParts, wiring: Wiring, rolls: Rolls): void {
  const { home, deepest } = wiring;
  const list = wiring.pick(rolls.roll(), ["list"], ({ region }) => region === home);
  if (list === undefined || home.depth + 2 > deepest) return;
  const item = add(parts, wiring, list, "outers");
  const few = 1 + rolls.below(3);
  const within = loose.derive!(item.ref, (n: number) => Array.from({ length: n % (few + 1) }, (_, i) => n + i));
  add(parts, wiring, { ...item, ref: within, type: "list" }, "inners");
}

function add(parts: CaseParts, wiring: Wiring, list: Known, name: string): Known {
  const ref = loose.each!(list.ref, { name });
  parts.untouched.add(ref);
  return wiring.add({ ref, type: "number", region: newRegion(list.region), ends: list.ends, plain: false });
}
