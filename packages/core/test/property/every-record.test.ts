import { expect, test } from "vitest";
import { randomSpec } from "../../src/testing/random-graph.ts";
import { isBlock, usesOf, type Make } from "../../src/testing/random-graph/spec.ts";
import type { Durability } from "../../src/runtime/outcome.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { rehearse } from "../../src/testing/simulate.ts";
import { explainFailure } from "./support/failing-case.ts";
import { withoutStacks } from "./support/without-stacks.ts";

const some = Array.from({ length: 15 }, (_, i) => 900_001 + i);
/** Of graphs with control blocks. */
const ofBlocks = Array.from({ length: 120 }, (_, i) => 910_001 + i)
  .filter((seed) => randomSpec(seed).steps.some(({ make }) => isBlock(make)))
  .slice(0, 45);
/** Of graphs that wait, ask, emit, pair, sweep or have finalizers. */
const newer: ReadonlySet<Make> = new Set<Make>(["ask", "emit", "onEnd", "sleep", "sweep", "zip"]);
const ofOutside = Array.from({ length: 100 }, (_, i) => 920_001 + i)
  .filter((seed) => usesOf(randomSpec(seed).steps, newer))
  .slice(0, 45);
const seeds = [...some, ...ofBlocks, ...ofOutside];

test(
  "R11 K1 a crash before and after every single record of a run changes nothing of its outcome",
  { timeout: 600_000 },
  async () => {
    expect(ofBlocks).toHaveLength(45);
    expect(ofOutside).toHaveLength(45);
    let crashes = 0;
    const play = async (seed: number): Promise<void> => {
      const durability = (["sync", "async", "exit"] as const)[seed % 3] as Durability;
      const options = { durability, check: checkInvariants };
      const disturb = await rehearse(seed, options);
      const { journal } = await disturb();
      for (let seq = 1; seq <= journal.row.lastSeq; seq++) {
        for (const commits of [true, false]) {
          const crash = { seq, commits };
          const verdict = await disturb(crash);
          if (verdict.faults.length > 0) throw new Error(await explainFailure(seed, { ...options, crash }));
          crashes += verdict.lives.filter(({ end }) => end === "crash").length;
        }
      }
    };
    await withoutStacks(async () => {
      for (const seed of seeds) await play(seed);
    });
    expect(crashes).toBeGreaterThan(1_200);
  },
);
