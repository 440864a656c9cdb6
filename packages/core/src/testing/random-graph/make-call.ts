import { graph } from "../../build/graph.ts";
import type { Graph } from "../../model/op.ts";
import { regionsOutside, tellsItsItem } from "./block-body.ts";
import type { CalledGraph, CaseParts } from "./case.ts";
import { readLocalCells } from "./make-cell.ts";
import { callOptions } from "./make-op.ts";
import type { Step } from "./spec.ts";
import {
  addFields,
  blocks,
  endsOf,
  endsSeenFrom,
  innermost,
  maxDepth,
  newRegion,
  Wiring,
  type Known,
  type Region,
  type Rolls,
} from "./wiring.ts";

const looseGraph = graph as unknown as (name: string, body: (input: unknown) => unknown) => Graph<unknown, unknown>;

/** How deep streams may nest inside a called graph. */
const innerDepth = 1;

/** A subgraph, called once or twice. */
export function makeCall(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const twice = rolls.chance(30);
  const called = parts.graphs.get(step) ?? define(parts, step, rolls.roll());
  call(parts, wiring, step, rolls, called, 0);
  if (twice) call(parts, wiring, step, rolls, called, 1);
}

function define(parts: CaseParts, step: Step, returns: number): CalledGraph {
  const called: CalledGraph = { graph: null, home: null, returned: [] };
  parts.graphs.set(step, called);
  called.graph = looseGraph(`c${step.id}`, (input) => {
    const wiring = openBody(called, input);
    parts.run(parts, wiring, step.bodies[0] ?? []);
    readLocalCells(parts, wiring);
    const chosen = chooseReturned(wiring, returns);
    called.returned = called.home?.limited === true ? chosen.filter((known) => mayLeave(known, wiring.home)) : chosen;
    return Object.fromEntries(called.returned.map(({ ref }, i) => [`o${i}`, ref]));
  });
  return called;
}

/** With a time limit the call is a block. */
function mayLeave({ ref, region }: Known, home: Region): boolean {
  return region === home || tellsItsItem(ref, { home, levels: region.depth - home.depth });
}

function openBody({ home }: CalledGraph, input: unknown): Wiring {
  const region = home?.region ?? newRegion(null);
  const ends = endsOf(home === null ? [] : [...home.inputs, ...home.after]);
  const wiring = new Wiring(region, region.depth + innerDepth, home?.after ?? []);
  addFields(wiring, { ref: input, type: "row", region, ends, plain: true }, { a: "number", xs: "list" });
  return wiring;
}

/** Up to three of what the body made, items among them: the caller gets those as streams. */
function chooseReturned({ known }: Wiring, roll: number): Known[] {
  const rolled = [
    known.length - 1 - (roll % Math.min(3, known.length)),
    roll % known.length,
    (roll * 7) % known.length,
  ];
  return [...new Set(rolled)].map((index) => known[index] as Known);
}

function call(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls, called: CalledGraph, time: number): void {
  const deepest = Math.min(maxDepth, wiring.deepest) - innerDepth;
  const a = wiring.pick(rolls.roll(), ["number"], ({ region }) => region.depth <= deepest);
  if (a === undefined || called.graph === null) return;
  const inputs = wiring.pickWith(a, [rolls.roll()], ["list"], deepest);
  const region = innermost(inputs);
  const waitsFor = wiring.pick(
    rolls.roll(),
    ["number", "nothing"],
    (known) => !blocks(region, endsSeenFrom(known, region)),
  );
  const after =
    waitsFor !== undefined && rolls.chance(35) ? [{ ...waitsFor, ends: endsSeenFrom(waitsFor, region) }] : [];
  const options = { ...callOptions(parts, region, rolls, after[0], true), name: `c${step.id}n${time}` };
  const calling = called.graph as unknown as (input: unknown, options: unknown) => Readonly<Record<string, unknown>>;
  const limit = limitOf(parts, rolls);
  called.home = { region, inputs, after: [...wiring.after, ...after], limited: limit !== undefined };
  if (limit !== undefined) parts.mayFail.add(options.name);
  const out = calling({ a: a.ref, xs: inputs[1]?.ref ?? [1, 2] }, { ...options, ...limit });
  // All that leaves a call with a limit waits for all that the call does.
  const ends = limit === undefined ? [] : endsOf([...inputs, ...called.home.after]);
  called.home = null;
  const left = limit === undefined ? called.returned : called.returned.map((known) => outsideOf(known, region));
  left.forEach((known, i) =>
    wiring.add({ ...known, ref: out[`o${i}`], plain: false, ends: new Set([...known.ends, ...ends]) }),
  );
}

/** A stream that leaves a call with a limit is another one outside. */
function outsideOf(known: Known, home: Region): Known {
  return { ...known, region: regionsOutside([known], home).at(-1) ?? known.region };
}

/** Whether it ends in time is a matter of time. */
function limitOf(parts: CaseParts, rolls: Rolls): { timeout: { total: number } } | undefined {
  if (!rolls.chance(40) || !parts.mayRace) return undefined;
  parts.racy = true;
  return { timeout: { total: 20 + rolls.below(300) } };
}
