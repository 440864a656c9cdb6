/** What stands in a graph is given to every run: a body that changed it changed what the next run was given. */
import { expect, test } from "vitest";
import { derive, graph, loop, memory, op, orElse, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";

const add = op("add", async ({ list, x }: { list: string[]; x: string }) => {
  list.push(x);
  return { list };
});

const graphs = {
  "the input of a call": graph("literal", (input: Ref<{ x: string; none?: string[] }>) => ({
    list: add({ list: ["system"], x: input.x }).list,
  })),
  "a default": graph("otherwise", (input: Ref<{ x: string; none?: string[] }>) => ({
    list: add({ list: orElse(input.none, []), x: input.x }).list,
  })),
  "the state of a loop": graph("state", (input: Ref<{ x: string; none?: string[] }>) => {
    const turns = loop("turns", { max: 2 }, { all: [] as string[] }, ({ all }) => ({
      next: { all: derive([all, input.x], ([list, x]) => (list.push(x), list)) },
      until: derive(all, (list) => list.length > 3),
    }));
    return { list: turns.all };
  }),
};

test.each(Object.entries(graphs))("%s is frozen, with a backend and without one", async (_, g) => {
  for (const backend of [undefined, memory()]) {
    const engine = await open(backend === undefined ? { check: checkInvariants } : { backend, check: checkInvariants });
    for (const x of ["ann", "bob"]) {
      const result = await (await engine.start(g, { x })).result();
      expect(result.status).toBe("failed");
      expect(result.errors[0]!.message).toMatch(/not extensible/);
    }
  }
});

test("what the author passed is theirs: it is copied when the graph is built, and not frozen", async () => {
  const mine = { words: ["a"], deep: [{ n: 1 }] };
  const echo = op("echo", async ({ given }: { given: typeof mine }) => ({ given }));
  const g = graph("g", () => ({ given: echo({ given: mine }).given }));
  mine.words.push("b");
  mine.deep[0]!.n = 2;
  expect(Object.isFrozen(mine)).toBe(false);
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, undefined)).toEqual({ given: { words: ["a"], deep: [{ n: 1 }] } });
});
