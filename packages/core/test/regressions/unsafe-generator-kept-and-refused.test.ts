import { expect, test } from "vitest";
import { collect, fallback, graph, memory, op, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, forever } from "../acceptance/support/gate.ts";

// The refusal of the body per item ended the fallback, which kept the generator and asked it for its next item; then the
// generator was refused too, and the item was asked for all the same: the body began again.
test("an unsafe generator that waits for credit does not begin again after a crash, whatever was refused before it", async () => {
  let begun = 0;
  let items = 0;
  let yielded = 0;
  const made = op("made", { effect: "unsafe" }, async function* (_input: { n: number }) {
    begun++;
    for (let i = 0; i < 5; i++) {
      yielded++;
      yield { i };
    }
  });
  const used = op("used", { effect: "unsafe" }, async ({ i }: { i: number }) => {
    items++;
    await forever();
    return { i };
  });
  const mends = op("mends", async (_input: { n: number }) => {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    return { all: [] as number[] };
  });
  const g = graph("kept", (input: Ref<{ n: number }>) => {
    const given = fallback(
      "f",
      () => ({ all: collect(used({ i: made({ n: input.n }).i }, { buffer: 3 }).i) }),
      () => ({ all: mends({ n: input.n }).all }),
    );
    return { all: given.all };
  });
  const store = memory();
  const first = await open({ backend: store, graphs: [g] });
  await first.start(g, { n: 1 }, { id: "run" });
  await eventually("the stream is full", () => items === 1 && yielded === 3);
  await new Promise((resolve) => setImmediate(resolve));
  await store.abandon();
  const second = await open({ backend: store.another(), graphs: [g] });
  await second.recovered[0]?.result();
  expect({ begun, items }).toEqual({ begun: 1, items: 1 });
  await second.close();
});
