import { expect, test } from "vitest";
import { derive, each, graph, op, reduce, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const same = op("same", ({ x }: { x: number }) => ({ x }));

test("an async function in an edge or a fold is refused at build", () => {
  expect(() => graph("g", (input: Ref<{ x: number }>) => ({ y: derive(input.x, async (x) => x) }))).toThrow(
    /async function/,
  );
  expect(() =>
    graph("g", (input: Ref<{ xs: number[] }>) => ({ y: reduce("r", each(input.xs), 0, (async () => 1) as never) })),
  ).toThrow(/async function/);
});

test("a promise that an edge gives fails it, and its rejection ends nothing else", async () => {
  const bad = graph("bad", (input: Ref<{ x: number }>) => ({
    y: same({ x: derive(input.x, () => Promise.reject(new Error("late")) as never) }).x,
  }));
  const engine = await open();
  const result = await (await engine.start(bad, { x: 1 })).result();
  expect(result.status).toBe("failed");
  expect(result.errors).toMatchObject([
    { code: "EdgeFailed", message: expect.stringContaining("must be synchronous") as string },
  ]);
  await new Promise((done) => setTimeout(done, 5));
});
