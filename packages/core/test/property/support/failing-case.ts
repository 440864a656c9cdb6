/** Everything one needs to see why a case failed, and the command that plays it again. */
import { planOf } from "../../../src/build/plan-of.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { SlotKind } from "../../../src/model/plan.ts";
import { randomSpec, type RandomGraph } from "../../../src/testing/random-graph.ts";
import { shrinkSpec } from "../../../src/testing/shrink.ts";
import { simulateWorkers, simulateWorkersOf, type WorkersOptions } from "../../../src/testing/simulate-workers.ts";
import type { StoredJournal } from "../../../src/testing/simulate/journal.ts";
import { simulateSeed, simulateSpec, type SimulateOptions, type Verdict } from "../../../src/testing/simulate.ts";

/** The case cut down as far as it goes, as text. */
export async function explainFailure(seed: number, options: SimulateOptions): Promise<string> {
  const whole = await simulateSeed(seed, options);
  const spec = await shrinkSpec(randomSpec(seed), async (smaller) => {
    try {
      return sameFault(await simulateSpec(smaller, seed, options), whole);
    } catch {
      return false;
    }
  });
  const small = await simulateSpec(spec, seed, options);
  return [
    `seed ${seed} (MILLRACE_SEED=${seed} plays it alone), ${options.durability} durability`,
    ...describe(small.faults.length > 0 ? small : whole),
  ].join("\n");
}

/** Digits aside: which record and which slot it is changes as the graph is cut down. */
function sameFault(a: Pick<Verdict, "faults">, b: Pick<Verdict, "faults">): boolean {
  const kind = (fault: string | undefined): string => (fault ?? "").replaceAll(/\d+/g, "#").slice(0, 40);
  return a.faults.length > 0 && kind(a.faults[0]) === kind(b.faults[0]);
}

function describe({ faults, graph, journal, lives }: Verdict): string[] {
  return [
    ...describeCase(faults, graph, [journal]),
    ...lives.map(
      ({ end, durable }, i) =>
        `life ${i + 1}: ${durable} records durable, ${typeof end === "string" ? end : end.status}`,
    ),
  ];
}

function describeCase(faults: readonly string[], graph: RandomGraph, journals: readonly StoredJournal[]): string[] {
  return [
    ...faults.slice(0, 10).map((fault) => `FAULT ${fault}`),
    `input ${JSON.stringify(graph.spec.input)}, errors: ${graph.spec.errors}, order-free: ${graph.orderFree}`,
    (graph.graph as unknown as { plan: { mermaid(): string } }).plan.mermaid(),
    ...slotTable(planOf(graph.graph)),
    ...journals.flatMap(({ rows }) => rows.flatMap((row) => [...row.map((record) => JSON.stringify(record)), "--"])),
  ];
}

/** The same of a case with several workers, and what happened in it. */
export async function explainWorkers(seed: number, options: WorkersOptions): Promise<string> {
  const whole = await simulateWorkers(seed, options);
  const spec = await shrinkSpec(randomSpec(seed), async (smaller) => {
    try {
      return sameFault(await simulateWorkersOf(smaller, seed, options), whole);
    } catch {
      return false;
    }
  });
  const small = await simulateWorkersOf(spec, seed, options);
  const { faults, graph, journals, played } = small.faults.length > 0 ? small : whole;
  return [
    `seed ${seed} (MILLRACE_SEED=${seed} plays it alone), several workers`,
    ...describeCase(faults, graph, journals),
    ...played.log,
  ].join("\n");
}

const kindNames = Object.keys(SlotKind);

function slotTable({ slots, streams }: Plan): string[] {
  return [
    ...slots.map(({ id, kind, scope, name, dependencies, collect, laneCapacity, ordered, stream }) =>
      [
        `slot ${id} scope ${scope} ${kindNames[kind]} ${name}`,
        `needs ${dependencies.map((d) => (d.after ? `after ${d.slot}` : d.slot)).join(", ")}`,
        stream < 0 ? "" : `makes stream ${stream}`,
        collect === null ? "" : `watches ${collect.watch} of stream ${collect.stream} (${collect.errors})`,
        laneCapacity > 1 || ordered ? `parallel ${laneCapacity} ordered ${ordered}` : "",
      ]
        .filter(Boolean)
        .join("; "),
    ),
    ...streams.map(
      ({ id, source, segment, buffer, onFull }) =>
        `stream ${id} of slot ${source}: ${segment}, buffer ${buffer}, ${onFull}`,
    ),
  ];
}
