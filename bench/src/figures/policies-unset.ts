/** What the possibility of policies costs ops that have none. */
import { collect, each, graph, op, openEngine, type Graph, type Item, type Ref } from "@millrace/core";
import { cutKernel, type Cut } from "../harness/cut-kernel.ts";
import type { Figure } from "../harness/figure.ts";
import { effort, measurePairs, timesOf } from "../harness/pairs.ts";
import { expectSame } from "../harness/same.ts";
import { asyncBody, many, type Step } from "../workloads/step.ts";

const count = 10_000;
const stages = 3;

type Input = { readonly items: readonly Step[] };

/** Each test of a policy: schemas, workers, unsafe ops, caches, time limits, resources, retries, asynchronous context, slow ops; of forks and of ephemeral streams. */
const policies: readonly Cut[] = [
  { what: /\(pending\.flags & \(Flag\.validates \| Flag\.elsewhere \| Flag\.unsafe\)\) === 0/g, by: "true" },
  { what: /\(pending\.flags & Flag\.cached\) !== 0/g, by: "false" },
  { what: /\(pending\.flags & Flag\.timed\) !== 0/g, by: "false" },
  { what: /\(pending\.flags & \(Flag\.needs \| Flag\.total\)\) === 0/g, by: "true" },
  { what: /claims === null \|\| \(pending\.flags & Flag\.needs\) === 0/g, by: "true" },
  { what: /(?<!#)\b(?:this|runner)\.(?:claims|totals) !== null/g, by: "false" },
  { what: /runner\.host\.slowOp !== 0/g, by: "false" },
  { what: /\baround === null/g, by: "true" },
  { what: /pending\.todo === Todo\.retry/g, by: "false" },
  { what: /runner\.state\.kept !== null/g, by: "false" },
  { what: /\bstream\.region !== null/g, by: "false" },
  { what: /\bthis\.state\.regions !== null/g, by: "false" },
  { what: /\(pending\.flags & Flag\.(?:ephemeral|unrecorded)\) !== 0/g, by: "false" },
];

/** `make` and `wire` are those of a copy of the package. */
function streamOf(
  make: typeof op,
  wire: typeof graph,
  perItem: typeof each,
  gather: typeof collect,
): Graph<Input, { list: Step[] }> {
  const ops = many(stages, asyncBody).map((body, i) => make(`step${i}`, body));
  return wire("stream", (input: Ref<Input>) => {
    let at: Ref<Step, Item> = perItem(input.items);
    for (const step of ops) at = step({ x: at.x });
    return { list: gather(at) };
  });
}

export const policiesUnset: Figure = {
  name: "policies-unset",
  title:
    "time per op of 10,000 items through three async ops without policies; the ratio less 1 is what their absence costs",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 1.1 }],
  floor: "the same stream on a second copy of the kernel, loaded with every test of a policy answered",
  blind: "what policies cost when they are set",
  async measure(settings) {
    const { core, places } = await cutKernel("without-policies", policies);
    const [engine, bare] = [await openEngine(), await core.openEngine()];
    const own = streamOf(op, graph, each, collect);
    const cut = streamOf(core.op, core.graph, core.each, core.collect);
    const items = Array.from({ length: count }, (_, x) => ({ x }));
    const units = count * stages;
    const ours = { units, run: () => engine.run(own, { items }) };
    const floor = { units, run: () => bare.run(cut, { items }) };
    expectSame(await ours.run(), await floor.run());
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: 51 }));
    return { ...timesOf(pairs), notes: [`${places} places cut`] };
  },
};
