import { expect, test } from "vitest";
import { collect, each, graph, op, type Ref } from "../../src/index.ts";

const plain = op("plain", (i: { x: number }) => ({ y: i.x }));
const withAll = op("withAll", (i: { x: number; all: number[] }) => ({ y: i.x + i.all.length }));

interface Lists {
  xs: number[];
  ys: number[];
}

test("K5 two streams whose items need each other's end are refused", () => {
  const make = (): unknown =>
    graph("cross", (input: Ref<Lists>) => {
      const x = each(input.xs);
      const y = each(input.ys);
      const p = plain({ x }, { name: "p" });
      const q = plain({ x: y }, { name: "q" });
      withAll({ x, all: collect(q.y) }, { name: "c", buffer: 1 });
      withAll({ x: y, all: collect(p.y) }, { name: "d", buffer: 1 });
      return {};
    });
  expect(make).toThrow(/the streams "input\.xs" and "input\.ys" wait for each other/);
});

test("K5 one direction is fine: the second stream reads the first one's end", () => {
  const oneWay = graph("oneWay", (input: Ref<Lists>) => {
    const x = each(input.xs);
    const y = each(input.ys);
    return { all: collect(withAll({ x: y, all: collect(plain({ x }).y) }).y) };
  });
  expect(oneWay.plan.findings.filter((finding) => finding.level === "error")).toEqual([]);
});

test("F02 a subgraph that returns a stream is reported when the stream's source fails", async () => {
  const { openEngine } = await import("../../src/index.ts");
  const broken = op("broken", function* ({ n }: { n: number }) {
    if (n > 0) throw new Error("no source");
    yield { x: n };
  });
  const inner = graph("inner", (input: Ref<{ n: number }>) => ({ x: broken({ n: input.n }).x }));
  const outer = graph("outer", (input: Ref<{ n: number }>) => ({ all: collect(inner({ n: input.n }).x) }));
  await using engine = await openEngine();
  const result = await (await engine.start(outer, { n: 1 })).result();
  expect(result.status).toBe("failed");
  expect(result.errors.map(({ node, code, cause }) => ({ node, code, cause }))).toEqual([
    { node: "inner/broken", code: "Failed", cause: undefined },
    { node: "inner", code: "SubgraphFailed", cause: "inner/broken" },
  ]);
});
