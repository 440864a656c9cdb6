import { expect, test } from "vitest";
import { collect, derive, each, fallback, graph, op, when, type Ref } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const tell = op("tell", async ({ to, what }: { to: string; what: string }) => ({ told: `${to}: ${what}` }));
const refuse = op("refuse", async ({ what }: { what: string }): Promise<{ told: string }> => {
  throw new Error(`no ${what}`);
});
const pass = graph("pass", (input: Ref<{ n: number; to: string }>) => ({ to: input.to }));

test("a block inside a body that runs per item need not say so: the one around does", async () => {
  const g = graph("g", (input: Ref<{ admin: string; ns: number[] }>) => {
    const n = each(input.ns);
    const done = when(
      "bad",
      derive(n, (value) => value > 1),
      () => {
        const told = fallback(
          "report",
          () => refuse({ what: input.admin }),
          (error) => {
            const urgent = when(
              "urgent",
              derive(error.attempts, (attempts) => attempts > 0),
              () => tell({ to: input.admin, what: error.message }),
            );
            return { told: urgent.told };
          },
        );
        return { told: told.told };
      },
    );
    return { all: collect(done.told) };
  });
  const engine = await open();
  expect(await engine.run(g, { admin: "root", ns: [1, 2] })).toEqual({ all: [undefined, "root: no root"] });
});

test("what a call per item passes on lives per item", async () => {
  const g = graph("g", (input: Ref<{ admin: string; ns: number[] }>) => {
    const passed = pass({ n: each(input.ns), to: input.admin });
    const isRoot = derive(passed.to, (to) => to === "root");
    const done = when("root", isRoot, () => tell({ to: passed.to, what: "hi" }));
    return { all: collect(done.told) };
  });
  const engine = await open();
  expect(await engine.run(g, { admin: "root", ns: [1, 2] })).toEqual({ all: ["root: hi", "root: hi"] });
});
