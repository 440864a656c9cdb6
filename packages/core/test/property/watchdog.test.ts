import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Dice } from "../../src/testing/dice.ts";
import { Stage } from "../../src/testing/simulate/stage.ts";
import { World } from "../../src/testing/world/world.ts";

test("a case that spins is told with its seed and the command that plays it again, and its process ends", () => {
  const program = join(import.meta.dirname, "programs/spins.ts");
  const { signal, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8", timeout: 30_000 });
  expect(stderr).toContain("cases that spin: the case of seed 17 has not ended in 0.1 s");
  expect(stderr).toContain("again: MILLRACE_SEED=17 npx vitest run --project core test/property/spins.test.ts");
  expect(signal).toBe("SIGKILL");
});

test("a life that goes round in circles ends after so many events", async () => {
  const stage = new Stage(new Dice(1), "engine", 0);
  let turns = 0;
  const again = (): void => {
    turns++;
    stage.later(again);
  };
  again();
  expect(await stage.play(() => false, 50)).toBe(false);
  expect(turns).toBe(51);
});

test("so does a world", async () => {
  const world = new World(new Dice(1), 0);
  let turns = 0;
  const again = (): void => {
    turns++;
    world.later(null, again);
  };
  again();
  expect(await world.play(() => false, 50)).toBe(false);
  expect(turns).toBe(51);
});
