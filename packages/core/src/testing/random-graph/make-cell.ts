import { cell, push, read } from "../../build/cell.ts";
import { overwrite } from "../../build/overwrite.ts";
import { derive } from "../../build/values.ts";
import { add, append, last, max, orderedBy } from "../../build/reducers.ts";
import type { Cell, Reducer } from "../../model/reducer.ts";
import type { CaseParts } from "./case.ts";
import type { Step } from "./spec.ts";
import {
  blocks,
  endsOf,
  endsSeenFrom,
  innermost,
  type Known,
  type KnownType,
  type Rolls,
  type Wiring,
} from "./wiring.ts";

type AnyCell = Cell<unknown, unknown>;
const loose = { cell, derive, overwrite, push, read } as unknown as Readonly<
  Record<string, (...given: unknown[]) => unknown>
>;

/** A sum that refuses some updates, whatever it holds. */
function picky(): Reducer<number, number> {
  const reduce = (sum: number, n: number): number => {
    if (n % 13 === 5) throw new RangeError(`${n} is unlucky`);
    return sum + n;
  };
  return { init: 0, reduce };
}

interface CellKind {
  readonly reducer: () => unknown;
  readonly type: KnownType;
  /** The order of updates does not show. */
  readonly orderFree: boolean;
}

export const cellKinds: Readonly<Record<string, CellKind>> = {
  add: { reducer: add, type: "number", orderFree: true },
  max: { reducer: max, type: "maybe", orderFree: true },
  picky: { reducer: picky, type: "number", orderFree: true },
  append: { reducer: append, type: "list", orderFree: false },
  last: { reducer: () => last(0), type: "number", orderFree: false },
  sorted: { reducer: () => orderedBy((n: number) => n), type: "list", orderFree: true },
};
const kindNames = Object.keys(cellKinds);

/** One push into a cell of this body, or of all bodies. */
export function makePush(made: CaseParts, wiring: Wiring, _step: Step, rolls: Rolls): void {
  const kinds = made.mayRace
    ? kindNames
    : kindNames.filter((name) => (cellKinds[name] as CellKind).orderFree && (name !== "picky" || made.failing > 0));
  const kind = kinds[rolls.below(kinds.length)] as string;
  const shared = rolls.chance(40);
  const value = wiring.pick(rolls.roll(), ["number"]);
  if (value === undefined) return;
  const overwrites = rolls.chance(25) && (kind === "last" || kind === "append");
  const into = shared ? cellOf(made.cells, kind, "shared") : cellOf(wiring.cells, kind, "local");
  if (!(cellKinds[kind] as CellKind).orderFree) made.racy = true;
  const ordered = rolls.chance(40) && value.region.depth > wiring.home.depth;
  const ref = loose.push!(into, overwrites ? overwriting(kind, value) : value.ref, ordered ? { ordered } : {});
  const pushed: Known = {
    ref,
    type: "nothing",
    region: value.region,
    ends: endsOf([value, ...wiring.after]),
    plain: false,
  };
  wiring.add(pushed);
  if (!shared) wiring.pushed.push({ kind, cell: into, known: pushed });
}

/** Any order of them will do: these cells say so. */
function overwriting(kind: string, { ref }: Known): unknown {
  return loose.overwrite!(kind === "last" ? ref : loose.derive!(ref, (n: number) => [n, n]));
}

function cellOf(cells: Map<string, AnyCell>, kind: string, where: string): AnyCell {
  const known = cells.get(kind);
  if (known !== undefined) return known;
  const options = kind === "last" || kind === "append" ? { allowRace: true } : {};
  const fresh = loose.cell!(`${where}-${kind}`, (cellKinds[kind] as CellKind).reducer(), options) as AnyCell;
  cells.set(kind, fresh);
  return fresh;
}

/** A read in the middle of things: what it sees is whatever is folded by then. */
export function makeRead(made: CaseParts, wiring: Wiring, _step: Step, rolls: Rolls): void {
  const cells = made.mayRace ? [...wiring.cells, ...made.cells] : [];
  const chosen = cells[rolls.below(Math.max(1, cells.length))];
  if (chosen === undefined) return;
  const [kind, of] = chosen;
  const perItem = rolls.chance(50);
  const at = wiring.pick(rolls.roll(), ["number", "row"], ({ region }) => !perItem || region.depth > wiring.home.depth);
  if (at === undefined) return;
  const after = wiring.pick(
    rolls.roll(),
    ["number", "output", "nothing"],
    (known) => !blocks(at.region, endsSeenFrom(known, at.region)),
  );
  const waits = after === undefined || rolls.chance(50) ? [] : [after];
  made.racy = true;
  const ref = loose.read!(of, { after: waits.map((known) => known.ref), at: at.ref, allowRace: true });
  const ends = endsOf([at, ...wiring.after]);
  for (const known of waits) for (const end of endsSeenFrom(known, at.region)) ends.add(end);
  wiring.add({ ref, type: (cellKinds[kind] as CellKind).type, region: innermost([at]), ends, plain: false });
}

/** Made before any body runs: a cell that a body makes is its own. */
export function sharedCells(): Map<string, AnyCell> {
  const cells = new Map<string, AnyCell>();
  for (const kind of kindNames) cellOf(cells, kind, "shared");
  return cells;
}

/** At the end of a body: reads of its own cells, not of those of the body around (`outer`), after every push. Once per item, the pushes of other items race with it. */
export function readLocalCells(made: CaseParts, wiring: Wiring, outer: ReadonlyMap<string, AnyCell> = new Map()): void {
  const own = [...wiring.cells].filter(([kind, of]) => outer.get(kind) !== of);
  const races = wiring.home.depth > 0;
  if (races && !made.mayRace) return;
  if (races && own.length > 0) made.racy = true;
  for (const [kind, of] of own) {
    const pushes = wiring.pushed.filter((pushed) => pushed.cell === of).map(({ known }) => known);
    const ends = endsOf(wiring.after);
    for (const known of pushes) for (const end of endsSeenFrom(known, wiring.home)) ends.add(end);
    if (blocks(wiring.home, ends)) continue;
    const ref = loose.read!(of, { after: pushes.map((known) => known.ref), ...(races ? { allowRace: true } : {}) });
    wiring.add({ ref, type: (cellKinds[kind] as CellKind).type, region: wiring.home, ends, plain: false });
  }
}
