import { graph } from "../../build/graph.ts";
import type { Graph } from "../../model/op.ts";
import type { CaseParts } from "./case.ts";
import { readLocalCells } from "./make-cell.ts";
import { callOptions } from "./make-op.ts";
import type { Step } from "./spec.ts";
import { addFields, blocks, endsOf, endsSeenFrom, innermost, maxDepth, Wiring, type Known, type Region, type Rolls } from "./wiring.ts";

type AnyGraph = Graph<unknown, unknown>;
const looseGraph = graph as unknown as (name: string, body: (input: unknown) => unknown) => AnyGraph;

/** A graph of the case, and what its body made when it last ran. */
export interface Called {
  readonly graph: AnyGraph;
  readonly inner: number;
  /** Where the body is about to run; null: by itself. */
  home: { readonly region: Region; readonly inputs: readonly Known[]; readonly after: readonly Known[] } | null;
  returned: readonly Known[];
}

export type RunSteps = (wiring: Wiring, steps: readonly Step[]) => void;

/** How deep streams may nest inside a called graph. */
const innerDepth = 1;

export function makeCallWith(runSteps: RunSteps, graphs: Map<Step, Called>) {
  return (made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void => {
    const calls = 1 + (rolls.chance(30) ? 1 : 0);
    const called = graphs.get(step) ?? define(runSteps, graphs, step, rolls.roll());
    for (let i = 0; i < calls; i++) call(made, wiring, step, rolls, called, i);
  };
}

function define(runSteps: RunSteps, graphs: Map<Step, Called>, step: Step, returns: number): Called {
  let called: Called | null = null;
  const state = { home: null as Called["home"], returned: [] as readonly Known[] };
  const body = (input: unknown): unknown => {
    const wiring = openBody(called ?? state, input);
    runSteps(wiring, step.body);
    readLocalCells(wiring);
    const returned = chooseReturned(wiring, returns);
    (called ?? state).returned = returned;
    return Object.fromEntries(returned.map(({ ref }, i) => [`o${i}`, ref]));
  };
  called = null;
  const made = looseGraph(`c${step.id}`, body);
  called = { graph: made, inner: innerDepth, ...state };
  graphs.set(step, called);
  return called;
}

function openBody({ home }: Pick<Called, "home">, input: unknown): Wiring {
  const region = home?.region ?? { outer: null, depth: 0 };
  const ends = endsOf(home === null ? [] : [...home.inputs, ...home.after]);
  const wiring = new Wiring(region, region.depth + innerDepth, home?.after ?? []);
  addFields(wiring, { ref: input, type: "row", region, ends, plain: true }, { a: "number", xs: "list" });
  return wiring;
}

/** Up to three of what the body made, items among them: the caller gets those as streams. */
function chooseReturned(wiring: Wiring, roll: number): Known[] {
  const { known } = wiring;
  const first = known[known.length - 1 - (roll % Math.min(3, known.length))] as Known;
  const others = [known[roll % known.length] as Known, known[(roll * 7) % known.length] as Known];
  return [first, ...others].filter((candidate, i, all) => all.indexOf(candidate) === i);
}

function call(made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls, called: Called, time: number): void {
  const fits = ({ region }: Known): boolean => region.depth + called.inner <= Math.min(maxDepth, wiring.deepest);
  const a = wiring.pick(rolls.roll(), ["number"], fits);
  if (a === undefined) return;
  const [, list] = wiring.pickWith(a, [rolls.roll()], ["list"], Math.min(maxDepth, wiring.deepest) - called.inner);
  const inputs = list === undefined ? [a] : [a, list];
  const region = innermost(inputs);
  const waitsFor = wiring.pick(rolls.roll(), ["number", "nothing"], (known) => !blocks(region, endsSeenFrom(known, region)));
  const after = waitsFor !== undefined && rolls.chance(20) ? [{ ...waitsFor, ends: endsSeenFrom(waitsFor, region) }] : [];
  const options = { ...callOptions(wiring, region, rolls, after[0], true), name: `c${step.id}n${time}` };
  called.home = { region, inputs, after: [...after, ...wiring.after] };
  const out = (called.graph as unknown as (input: unknown, options: unknown) => Record<string, unknown>)({ a: a.ref, xs: list?.ref ?? [1, 2] }, options);
  called.home = null;
  called.returned.forEach((known, i) => wiring.add({ ...known, ref: out[`o${i}`], plain: false }));
}
