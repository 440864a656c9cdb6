/** What a run costs that does nothing but wait. */
import { graph, op, openEngine, type Graph, type Ref } from "@millrace/core";
import type { Figure } from "../harness/figure.ts";
import { weigh, type Held } from "../harness/memory.ts";
import { numbersOf } from "../harness/pairs.ts";
import { median } from "../harness/statistics.ts";
import { asyncOps, type Step } from "../workloads/step.ts";

const runs = 10_000;
const length = 10;

type Gated = (step: Step) => Promise<Step>;

/** A body that waits until the gate opens. */
function gatedBody(gate: Promise<void>): Gated {
  return async ({ x }) => {
    await gate;
    return { x };
  };
}

function chainFrom(first: Gated): Graph<Step, Step> {
  const enter = op("enter", first);
  const rest = asyncOps(length - 1);
  return graph("waiting", (input: Ref<Step>) => rest.reduce((at, step) => step({ x: at.x }), enter({ x: input.x })));
}

/** Holds `runs` of them at the gate, weighs them, and lets them through. */
async function weighWaiting(make: (body: Gated) => (x: number) => Promise<Step>): Promise<Held> {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { heap, external, things } = await weigh(runs, make(gatedBody(gate)));
  open();
  await Promise.all(things);
  return { heap, external };
}

export const waitingRun: Figure = {
  name: "waiting-run-memory",
  title: "bytes of heap per run of a chain of 10 ops that waits in its first op, 10,000 held alive, without a backend",
  unit: "B",
  limits: [{ of: "value", atMost: 3_500 }],
  floor: "the same as suspended async functions: the body that waits, the function that awaits it, and its promise",
  blind: "the graph, which all runs share; a backend's row per run",
  async measure({ quick }) {
    const engine = await openEngine();
    const ours = (body: Gated) => {
      const chain = chainFrom(body);
      return (x: number): Promise<Step> => engine.run(chain, { x });
    };
    const floor =
      (body: Gated) =>
      async (x: number): Promise<Step> => {
        let at = await body({ x });
        for (let i = 1; i < length; i++) at = await body({ x: at.x });
        return at;
      };
    const found = { ours: [] as Held[], floor: [] as Held[] };
    for (let i = 0; i < (quick ? 2 : 7); i++) {
      found.ours.push(await weighWaiting(ours));
      found.floor.push(await weighWaiting(floor));
    }
    const heap = (helds: readonly Held[]): number[] => helds.map((held) => held.heap);
    // The first ones also weigh what is compiled and allocated once.
    const measured = numbersOf(heap(found.ours.slice(1)), heap(found.floor.slice(1)));
    const external = median(found.ours.slice(1).map((held) => held.external));
    return { ...measured, notes: [`external memory: ${external.toFixed(0)} B per run`] };
  },
};
