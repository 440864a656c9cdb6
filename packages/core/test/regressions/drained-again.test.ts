/** The note of a drain was unique per run: one that was resumed could not be drained again from another process. */
import { expect, test } from "vitest";
import { graph, memory, op, openEngine, type Ref } from "../../src/index.ts";
import { gate } from "../acceptance/support/gate.ts";

test("a run that was drained from elsewhere and resumed is drained from elsewhere again", async () => {
  const gates = [gate(), gate(), gate()];
  const started: number[] = [];
  const step = op("step", async ({ n }: { n: number }) => {
    started.push(n);
    await gates[n]!.opened;
    return { next: n + 1 };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const second = step({ n: step({ n: input.n }, { name: "first" }).next }, { name: "second" });
    return { n: step({ n: second.next }, { name: "third" }).next };
  });
  const store = memory();
  const owner = await openEngine({ backend: store, graphs: [flow], recover: false, poll: 10 });
  const other = await openEngine({ backend: store.another(), recover: false, poll: 10 });
  let handle = await owner.start(flow, { n: 0 }, { id: "run" });
  for (const n of [0, 1]) {
    await expect.poll(() => started).toContain(n);
    const drained = other.drain("run");
    const handled = async (): Promise<number> =>
      (await store.notes("run")).filter((note) => note.kind === "drain" && note.handled).length;
    await expect.poll(handled).toBe(n + 1);
    gates[n]!.open();
    await drained;
    expect((await handle.result()).status).toBe("drained");
    handle = (await owner.resume("run")) as typeof handle;
  }
  gates[2]!.open();
  expect(await handle.output()).toEqual({ n: 3 });
  await Promise.all([owner.close(), other.close()]);
});
