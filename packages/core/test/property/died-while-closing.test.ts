/**
 * A run that was put aside may go on before its engine is closed, and the process may die then, or in the middle of the
 * close: whoever closes it is never told that it is through, and the next life takes over what was durable.
 */
import { expect, test } from "vitest";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import type { GraphSpec, Make, Step } from "../../src/testing/random-graph/spec.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { simulateSpec } from "../../src/testing/simulate.ts";

const step = (make: Make, id: number, dice: readonly number[] = []): Step => ({ make, id, dice, bodies: [] });

const asking: GraphSpec = {
  steps: [step("ask", 0), step("op", 1), step("ask", 2), step("op", 3)],
  returns: [0, 1, 2, 3],
  input: { a: 1, xs: [1, 2], rows: [] },
  racy: false,
  failing: 0,
  errors: "record",
};

/** Knows whether it was closed: a dead process closes nothing. */
class Watched extends WrappedBackend {
  closed = false;

  override close(): Promise<void> {
    this.closed = true;
    return super.close();
  }
}

test("R11 P3.8c a life that dies while it is closed is over, and the next one comes to what an undisturbed run comes to", async () => {
  let died = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const stores: Watched[] = [];
    const { faults, lives } = await simulateSpec(asking, seed, {
      durability: "exit",
      check: checkInvariants,
      // It is put aside behind the third record; what a close meets is there and right behind.
      crash: { seq: 3 + (seed % 3), commits: seed % 4 > 0 },
      wrap: (backend) => {
        const store = new Watched(backend);
        stores.push(store);
        return store;
      },
    });
    expect(faults).toEqual([]);
    // The last of them is the reader's.
    const disturbed = stores.slice(-1 - lives.length, -1);
    died += lives.filter(({ end }, i) => typeof end !== "string" && disturbed[i]?.closed === false).length;
  }
  expect(died).toBeGreaterThan(10);
});
