/** Random graphs of every construct that is built, made through the public authoring API from a seed. */
import { collect } from "../build/collectors.ts";
import { graph } from "../build/graph.ts";
import { planOf } from "../build/plan-of.ts";
import type { Runnable } from "../model/op.ts";
import type { Plan } from "../model/plan.ts";
import type { Theatre } from "./random-graph/bodies.ts";
import { CaseParts } from "./random-graph/case.ts";
import { readLocalCells, sharedCells } from "./random-graph/make-cell.ts";
import { makeStep } from "./random-graph/make.ts";
import { isOrderFree } from "./random-graph/order-free.ts";
import { randomSpec, type GraphInput, type GraphSpec, type Step } from "./random-graph/spec.ts";
import { addFields, maxDepth, newRegion, Wiring, type Known } from "./random-graph/wiring.ts";

export { randomSpec, type GraphSpec };
export type { Theatre };

export interface RandomGraph {
  readonly spec: GraphSpec;
  readonly graph: Runnable<GraphInput, unknown>;
  readonly plan: Plan;
  /** See `random-graph/order-free.ts`. */
  readonly orderFree: boolean;
  /** Functions that may say another thing in every life of the run. */
  readonly fickle: ReadonlySet<unknown>;
}

const looseCollect = collect as unknown as (item: unknown, options: unknown) => unknown;
const looseGraph = graph as unknown as (
  name: string,
  body: (input: unknown) => unknown,
) => Runnable<GraphInput, unknown>;

export function buildRandomGraph(spec: GraphSpec, theatre: Theatre): RandomGraph {
  try {
    return build(spec, new CaseParts(spec, theatre, sharedCells(), runSteps));
  } catch (error) {
    // Of one graph in ten thousand the build knows more than the wiring (W2): without its ephemeral generators, then.
    if (!(error instanceof Error && error.message.includes("wait for each other"))) throw error;
    const parts = new CaseParts(spec, theatre, sharedCells(), runSteps);
    parts.ephemeral = false;
    return build(spec, parts);
  }
}

function build(spec: GraphSpec, parts: CaseParts): RandomGraph {
  const built = looseGraph("random", (input) => {
    const wiring = new Wiring(newRegion(null), maxDepth, []);
    parts.top = wiring;
    addFields(
      wiring,
      { ref: input, type: "row", region: wiring.home, ends: new Set(), plain: true },
      { a: "number", xs: "list", rows: "rows" },
    );
    runSteps(parts, wiring, spec.steps);
    readLocalCells(parts, wiring);
    return Object.fromEntries(
      chooseReturned(wiring, spec.returns).map((known, i) => [`o${i}`, gathered(known, spec.returns[i] ?? 0)]),
    );
  });
  const plan = planOf(built);
  return { spec, graph: built, plan, orderFree: isOrderFree(plan, parts, spec.errors), fickle: parts.fickle };
}

/** As it stands (items become streams), or with its failed items as data or left out. */
function gathered({ ref, region }: Known, roll: number): unknown {
  if (roll % 3 === 0) return ref;
  let list = ref;
  for (let depth = region.depth; depth > 0; depth--)
    list = looseCollect(list, { errors: roll % 3 === 1 ? "settle" : "skip" });
  return list;
}

function runSteps(parts: CaseParts, wiring: Wiring, steps: readonly Step[]): void {
  for (const step of steps) makeStep(parts, wiring, step);
}

/** What was made last is the most likely to hang on all the rest. */
function chooseReturned({ known }: Wiring, rolls: readonly number[]): Known[] {
  const indices = rolls.map(
    (roll, i) => known.length - 1 - (i === 0 ? roll % Math.min(4, known.length) : roll % known.length),
  );
  return [...new Set(indices)].map((index) => known[index] as Known);
}
