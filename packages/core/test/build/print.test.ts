import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  each,
  filter,
  graph,
  op,
  orElse,
  push,
  read,
  reduce,
  type Ref,
} from "../../src/index.ts";
import { z } from "zod";

const gen = op("gen", async function* (_i: { x: string }) {
  yield { tok: "t", ok: true };
});
const one = op("one", { version: "2", effect: "pure" }, async (_i: { x: string }) => ({ y: 1 }));
const inner = graph("inner", (input: Ref<{ x: string }>) => {
  const g = gen({ x: input.x });
  return { n: one({ x: filter(g, g.ok).tok }, { parallel: 4 }).y };
});
const outer = graph("outer", { input: z.object({ xs: z.array(z.string()) }), title: 'Outer "graph"' }, (input) => {
  const log = cell("log", append<number>());
  const call = inner({ x: each(input.xs) }, { name: "call" });
  const total = reduce("total", collect(call.n), 0, (a, n) => a + n.length);
  const pushed = push(log, total);
  one({ x: "last" }, { after: [call.n] });
  return { total, log: read(log, { after: [pushed] }) };
});

test("mermaid: calls and streams as boxes, edges as words, cells once", () => {
  expect(outer.plan.mermaid().split("\n")).toEqual([
    "---",
    'title: "Outer \\"graph\\""',
    "---",
    "flowchart LR",
    '  n0(["input"])',
    '  n9[/"reduce total"/]',
    '  n13["one"]',
    '  n15(["output"])',
    '  subgraph b0["each of input.xs"]',
    '    subgraph b1["call: inner"]',
    '      n3[["gen"]]',
    '      subgraph b2["each of call/gen"]',
    '        n6["one"]',
    "      end",
    "    end",
    "  end",
    '  c0[("log")]',
    "  n0 -->|each| n3",
    "  n3 -->|filter| n6",
    "  n6 -->|collect| n9",
    "  n9 --> c0",
    "  n6 -.->|after| n13",
    "  n9 --> n15",
    "  c0 --> n15",
    "",
  ]);
});

test("JSON: every node with what it needs, streams, cells and findings; no functions", () => {
  const json = JSON.parse(JSON.stringify(outer.plan)) as ReturnType<typeof outer.plan.toJSON>;
  expect(json).toEqual(outer.plan.toJSON());
  expect(json.nodes.find(({ id }) => id === "call/one")).toEqual({
    id: "call/one",
    kind: "op",
    per: "call/gen",
    needs: ["~5"],
    parallel: 4,
    effect: "pure",
    version: "2",
  });
  expect(json.nodes.find(({ id }) => id === "total")).toEqual({ id: "total", kind: "reduce", needs: ["~8"] });
  expect(json.nodes.at(-1)).toEqual({ id: "~15", kind: "output", needs: ["total", "~14"] });
  expect(json.streams).toEqual([
    { segment: "input.xs", source: "~1", buffer: 1024, onFull: "wait" },
    { segment: "call/gen", source: "call/gen", per: "input.xs", buffer: 1024, onFull: "wait" },
  ]);
  expect(json.cells).toEqual(["log"]);
  expect([json.name, json.fingerprint]).toEqual(["outer", outer.plan.fingerprint]);
});

test("a call with a limit is a node of its own beside the box of what it does", () => {
  const inner = graph("inner", (input: Ref<{ x: string }>) => ({ y: one({ x: input.x }).y }));
  const limited = graph("limited", (input: Ref<{ x: string }>) => {
    const call = inner({ x: input.x }, { name: "call", timeout: { total: "5m" } });
    return { y: call.y };
  });
  expect(limited.plan.mermaid()).toBe(
    [
      "flowchart LR",
      '  n0(["input"])',
      '  n2(("call within 5 m"))',
      '  n4(["output"])',
      '  subgraph b0["call: inner"]',
      '    n1["one"]',
      "  end",
      "  n0 --> n1",
      "  n0 --> n2",
      "  n1 --> n4",
      "",
    ].join("\n"),
  );
  expect(limited.plan.toJSON().nodes.slice(1, 4)).toMatchObject([
    { id: "call/one", kind: "op", in: "call", needs: ["input"] },
    { id: "call", kind: "bounded", needs: ["input"], timeout: 300_000 },
    { id: "~3", kind: "taken", needs: ["call/one", "call"] },
  ]);
});

test("edges that fan in and out are drawn once, not once per way", () => {
  const wide = graph("wide", (input: Ref<{ a: number }>) => {
    let at: Ref<number> = derive(input.a, (a) => a);
    for (let i = 0; i < 60; i++) at = derive([at, at, orElse(at, 0)], ([a]) => a);
    return at;
  });
  expect(wide.plan.mermaid().length).toBeLessThan(20_000);
});

test("findings: what is worth knowing", () => {
  const unused = cell("unused", append<number>());
  const findings = graph("g", (input: Ref<{ xs: string[]; a: string }>) => {
    const x = each(input.xs);
    one({ x }, { onFull: "dropOldest" });
    derive(input.a, (a) => a);
    each(input.xs, { name: "idle" });
    return { rows: collect(x), n: read(unused, { after: [] }) };
  }).plan.findings;
  expect(findings).toEqual([
    { level: "info", code: "UnreadStream", node: "input", message: "nothing reads the items of idle" },
    {
      level: "warning",
      code: "DroppedItems",
      node: "input",
      message: "input.xs drops items when it is full; its collects and reduces lack them",
    },
    { level: "info", code: "UnreadValue", node: "input", message: "nothing reads a derive of input" },
    {
      level: "warning",
      code: "UnwrittenCell",
      node: "unused",
      message: "nothing is pushed into cell unused; it keeps its initial value",
    },
  ]);
  expect(outer.plan.findings).toEqual([]);
});
