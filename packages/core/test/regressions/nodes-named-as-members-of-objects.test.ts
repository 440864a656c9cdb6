/** Counts by node were kept in an object whose members were taken for counts: `constructor` was counted as a text. */
import { expect, test } from "vitest";
import { z } from "zod";
import { collect, each, graph, interrupt, memory, op, type Engine, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

async function countsOf(engine: Engine): Promise<unknown> {
  const { finished = {}, failed = {} } = (await engine.get("run")) ?? {};
  return { finished: Object.entries(finished), failed: Object.entries(failed) };
}

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
  "H24 what a node called %s did is counted, also when it failed, and when it is compacted away",
  async (name) => {
    const add = op(name, ({ n }: { n: number }) => {
      if (n === 0) throw new Error("no");
      return { n: n + 1 };
    });
    const flow = graph("flow", (input: Ref<{ ns: number[] }>) => {
      const added = collect(add({ n: each(input.ns) }).n, { errors: "skip" });
      return { added, said: interrupt("q", {}, { answer: z.boolean() }) };
    });
    const engine = await open({ backend: memory(), graphs: [flow], snapshots: { after: 1, share: Infinity } });
    await (await engine.start(flow, { ns: [1, 2, 0] }, { id: "run" })).result();
    const counts = { finished: [[name, 2]], failed: [[name, 1]] };
    expect(await countsOf(engine)).toEqual(counts);
    expect((await engine.compact("run")).records).toBeGreaterThan(0);
    expect(await countsOf(engine)).toEqual(counts);
    expect(await (await engine.answer("run", "q", true)).output()).toEqual({ added: [2, 3], said: true });
    expect(await countsOf(engine)).toEqual(counts);
  },
);
