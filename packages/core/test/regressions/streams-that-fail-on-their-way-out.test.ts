import { expect, test } from "vitest";
import { collect, derive, fallback, graph, loop, op, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";

const breaks = op("breaks", async function* ({ n }: { n: number }) {
  yield { n };
  throw new Error("broke");
});
const picky = op("picky", async ({ n }: { n: number }) => {
  if (n === 2) throw new Error("no");
  return { n };
});
const count = op("count", async function* ({ n }: { n: number }) {
  for (let i = 1; i <= n; i++) yield { n: i };
});

// It was cut short in silence: the loop came to its end, and with it the stream.
test("a stream that fails in an iteration fails outside", async () => {
  const g = graph("turns", (input: Ref<{ n: number }>) => {
    const turns = loop("turns", {}, { n: input.n }, (s) => ({
      next: { n: derive(s.n, (n) => n - 1) },
      until: derive(s.n, (n) => n <= 1),
      result: { x: breaks({ n: s.n }).n },
    }));
    return { xs: collect(turns.x, { errors: "settle" }) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 2 })).toMatchObject({ xs: [{ ok: true, value: 2 }, { ok: false }] });
  await engine.close();
});

test("a stream that fails in a handler fails outside", async () => {
  const g = graph("handled", (input: Ref<{ n: number }>) => {
    const given = fallback(
      "f",
      () => ({ x: picky({ n: count({ n: derive(picky({ n: input.n }, { name: "first" }).n, (n) => n) }).n }).n }),
      () => ({ x: breaks({ n: input.n }).n }),
    );
    return { xs: collect(given.x, { errors: "settle" }) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 2 })).toMatchObject({ xs: [{ ok: true, value: 2 }, { ok: false }] });
  await engine.close();
});

// A `skip` or `settle` outside took it, and the handler never ran.
test("an item that fails in the body of a fallback calls the handler, whatever is done with items outside", async () => {
  const g = graph("skipped", (input: Ref<{ n: number }>) => {
    const given = fallback(
      "f",
      () => ({ x: picky({ n: derive(count({ n: 1 }).n, () => 2) }).n }),
      () => ({ x: count({ n: input.n }, { name: "other" }).n }),
    );
    return { xs: collect(given.x, { errors: "skip" }) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { n: 2 })).toEqual({ xs: [1, 2] });
  await engine.close();
});

test("what was on its way when a stream failed in an iteration still goes out, as the buffer outside lets it", async () => {
  const fourThenBreaks = op("fourThenBreaks", function* () {
    for (let n = 1; n <= 4; n++) yield { n };
    throw new Error("broke");
  });
  const slow = op("slow", async ({ n }: { n: number }) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    return { n };
  });
  const g = graph("turns", () => {
    const turns = loop("turns", {}, { n: 1 }, (s) => ({
      next: { n: s.n },
      until: derive(s.n, () => true),
      result: { x: fourThenBreaks({}).n },
    }));
    return { xs: collect(slow({ n: turns.x }, { buffer: 1 }).n, { errors: "settle" }) };
  });
  const engine = await open({ check: checkInvariants });
  const given = [1, 2, 3, 4].map((value) => ({ ok: true, value }));
  expect(await engine.run(g, {})).toMatchObject({ xs: [...given, { ok: false }] });
  await engine.close();
});
