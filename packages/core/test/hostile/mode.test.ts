/** Hostile mode itself: it does what it says, or the tests that run in it would prove nothing. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { collect, each, graph, memory, op, type Ref } from "../../src/index.ts";
import { handovers, openHostile } from "../acceptance/support/hostile.ts";
import { notHostile } from "../acceptance/support/not-hostile.ts";
import { readJournal } from "../../src/testing/simulate/journal.ts";

test("R11 H31 a chain of ops changes hands behind every record, and none of them runs twice", async () => {
  const ran: string[] = [];
  const links = Array.from({ length: 5 }, (_, i) =>
    op(`link${i}`, async ({ n }: { n: number }, ctx) => {
      ran.push(ctx.node);
      return { n: n + 1 };
    }),
  );
  const chain = graph("chain", (input: Ref<{ n: number }>) => {
    let { n } = input;
    for (const link of links) n = link({ n }).n;
    return { n };
  });
  const backend = memory();
  const before = handovers.count;
  const engine = await openHostile({ backend });
  onTestFinished(() => engine.close());
  const handle = await engine.start(chain, { n: 1 }, { id: "r" });
  expect(await handle.output()).toEqual({ n: 6 });
  expect(ran).toEqual(links.map((_, i) => `link${i}`));
  expect(handovers.count - before).toBeGreaterThanOrEqual(4);
  const { row, happenings } = await readJournal(backend, "r");
  expect(row.epoch).toBe(1 + handovers.count - before);
  expect(happenings.filter(({ kind }) => kind === "resumed")).toHaveLength(handovers.count - before);
});

test("R11 items that are at work together change hands when none of them is", async () => {
  const half = op("half", async ({ x }: { x: number }) => ({ y: x / 2 }));
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    ys: collect(half({ x: each(input.xs) }, { parallel: 2 }).y),
  }));
  const before = handovers.count;
  const engine = await openHostile({});
  onTestFinished(() => engine.close());
  expect(await engine.run(flow, { xs: [2, 4, 6, 8, 10] })).toEqual({ ys: [1, 2, 3, 4, 5] });
  expect(handovers.count - before).toBeGreaterThan(0);
});

test("what is left alone is there, has a reason, and is little", () => {
  const files = globSync("*.test.ts", { cwd: join(import.meta.dirname, "../acceptance") });
  const texts = new Map(
    files.map((file) => [
      basename(file, ".test.ts"),
      readFileSync(join(import.meta.dirname, "../acceptance", file), "utf8"),
    ]),
  );
  for (const { file, title, why } of notHostile) {
    expect(texts.get(file)?.includes(title ?? ""), `${file}: ${title ?? "all of it"}`).toBe(true);
    expect(why.length).toBeGreaterThan(20);
  }
});
