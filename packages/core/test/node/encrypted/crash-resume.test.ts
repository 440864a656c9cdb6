/** The crash property of `property/support/crash-cases.ts`, with every engine behind encryption: a part of its cases. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Backend } from "../../../src/index.ts";
import { encrypted } from "../../../src/node/index.ts";
import { checkInvariants } from "../../../src/state/invariants.ts";
import { simulateSeed } from "../../../src/testing/simulate.ts";
import { withoutStacks } from "../../property/support/without-stacks.ts";

const cases = Number(process.env["MILLRACE_CASES"] ?? 400);
const keys = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;

/** Every engine begins with the keys of the one before it and a new one, until there are three. */
function rotating(): (backend: Backend) => Backend {
  let engines = 0;
  return (backend) => encrypted(backend, { keys: keys.slice(0, 1 + Math.min(2, engines++)).toReversed() });
}

test(
  `HAZARDS 10, R11 R12 P3.1: ${cases} random graphs, crashes at random records and rotated keys: what comes of a run is what comes of it without encryption`,
  { timeout: 60_000 + cases * 50 },
  async () => {
    await withoutStacks(async () => {
      for (let seed = 1; seed <= cases; seed++) {
        const options = { check: checkInvariants, durability: seed % 2 === 0 ? "sync" : "async" } as const;
        const through = await simulateSeed(seed, { ...options, wrap: rotating() });
        expect(through.faults, `seed ${seed}`).toEqual([]);
      }
    });
  },
);
