/**
 * The rounds of `takeover.test.ts`, many times: wherever in its stream of appends the owner is stopped. `MILLRACE_ROUNDS=n`:
 * instead of 40; `MILLRACE_SOAK_SEED=n` draws the same moments again.
 */
import { afterAll, expect, test } from "vitest";

import { Dice } from "../../core/src/testing/dice.ts";
import { playZombie } from "../../core/test/servers/zombie.ts";
import { playFrozen } from "./support/frozen.ts";
import { harness } from "./support/harness.ts";

const { env } = process;
const seed = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() % 2 ** 32);
const dice = new Dice(seed);
const rounds = Array.from({ length: Number(env["MILLRACE_ROUNDS"] ?? 40) }, (_, i) => i + 1);
const passed = { stopped: 0, frozen: 0 };

afterAll(() =>
  console.log(
    `zombies on PostgreSQL, seed ${seed}: ${passed.stopped} of ${rounds.length} rounds in which an owner was stopped, ${passed.frozen} with a frozen transaction, without a stale write`,
  ),
);

test.each(rounds)("H1 a stopped owner that wakes up writes nothing over its heir: round %i", async (round) => {
  await expect(playZombie(harness, round, dice.fraction() * 50)).resolves.toBe("fenced off");
  passed.stopped++;
});

test.each(rounds.slice(0, Math.ceil(rounds.length / 4)))(
  "H3 a frozen transaction is taken over: round %i",
  async (round) => {
    await expect(playFrozen(round)).resolves.toBe("fenced off");
    passed.frozen++;
  },
);
