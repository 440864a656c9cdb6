/** What the possibility of a journal costs a run that has none. */
import { openEngine } from "@millrace/core";
import type { Figure } from "../harness/figure.ts";
import { cutKernel, type Cut } from "../harness/cut-kernel.ts";
import { effort, measurePairs, timesOf } from "../harness/pairs.ts";
import { expectSame } from "../harness/same.ts";
import { chainOf, syncOps } from "../workloads/step.ts";

const length = 1_000;

/** Everything that a journal needs: each test of `recorder`, and the sequence numbers of records. */
const journal: readonly Cut[] = [
  { what: /\b(?:\w+\.)*recorder ([!=])== null/g, by: (_, operator) => String(operator === "=") },
  { what: /if \(!isUnrecorded\(event\)\) run\.seq\+\+;/g, by: ";" },
  { what: /\brun\.seq\+\+;/g, by: ";" },
  { what: /\bpending\.seq = run\.seq;/g, by: ";" },
];

export const noJournalCost: Figure = {
  name: "no-journal-cost",
  title:
    "time per op of a chain of 1,000 synchronous ops without a backend; the ratio less 1 is what the journal costs there",
  unit: "ns",
  limits: [{ of: "ratio", atMost: 1.1 }],
  floor:
    "the same chain on a second copy of the kernel, loaded with every test of the recorder answered and record numbering cut out of its source",
  blind:
    "the shape that a journal gave to the kernel (events, effects that could wait); async ops, where a share of it is smaller",
  async measure(settings) {
    const { core, places } = await cutKernel("without-journal", journal);
    const [engine, bare] = [await openEngine(), await core.openEngine()];
    const chain = chainOf("chain", syncOps(length));
    const bareChain = chainOf("chain", syncOps(length, core.op), core.graph);
    const ours = { units: length, run: () => engine.run(chain, { x: 0 }) };
    const floor = { units: length, run: () => bare.run(bareChain, { x: 0 }) };
    expectSame(await ours.run(), await floor.run());
    const pairs = await measurePairs(ours, floor, effort(settings, { repeats: 101, sample: 20 }));
    return { ...timesOf(pairs), notes: [`${places} places cut`] };
  },
};
