/** The rounds of `takeover.test.ts`, many times: wherever in its stream of appends the owner is stopped. */
import { expect, test } from "vitest";

import { playZombie } from "../../core/test/servers/zombie.ts";
import { playFrozen } from "./support/frozen.ts";
import { harness } from "./support/harness.ts";
import { skipWithoutServer } from "./support/without-server.ts";

skipWithoutServer();

const rounds = Array.from({ length: 40 }, (_, i) => i + 1);

test.each(rounds)("H1 a stopped owner that wakes up writes nothing over its heir: round %i", async (round) => {
  await expect(playZombie(harness, round)).resolves.toBe("fenced off");
});

test.each(rounds.slice(0, 10))("H3 a frozen transaction is taken over: round %i", async (round) => {
  await expect(playFrozen(round)).resolves.toBe("fenced off");
});
