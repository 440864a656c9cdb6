// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// What graphs and runs give, exactly, beside the prototype's workflows: streams out of subgraphs, names, results of runs.
import {
  collect,
  each,
  graph,
  op,
  orElse,
  present,
  type Engine,
  type Graph,
  type Item,
  type Item2,
  type Op,
  type Output,
  type Ref,
  type Runnable,
  type RunResult,
  type Stream,
} from "../../src/index.ts";
import type * as library from "../../test/acceptance/prototype/library.ts";
import { check, type Equal, type OutputOf } from "../equal.ts";
import { inner } from "./extra.ts";

check<Equal<OutputOf<typeof library.summary>, { text: string }>>();
check<Equal<OutputOf<typeof inner>, { tok: Stream<string>; whole: string }>>();

// a stream and a value out of a subgraph, once and per item
export const outer = graph("outer", (input: Ref<{ xs?: string[] }>) => {
  const x = each(orElse(input.xs, []));
  const a = inner({ x: "one" });
  const b = inner({ x }, { name: "perItem" });
  const token: Ref<string, Item2> = b.tok;
  const whole: Ref<string, Item> = b.whole;
  return { one: a.whole, many: collect(whole), all: collect(collect(token)) };
});
check<Equal<OutputOf<typeof outer>, { one: string; many: string[]; all: string[][] }>>();

// items without what is missing
const maybe = op("maybe", async (i: { x: string }) => ({ n: i.x.length as number | undefined }));
export const some = graph("some", (input: Ref<{ xs: string[] }>) => ({
  only: present(maybe({ x: each(input.xs) }).n),
}));
check<Equal<OutputOf<typeof some>["only"], Stream<number>>>();

// names of domain parameters are never reserved
interface Odd {
  id: string;
  name: string;
  start: number;
  stream: string[];
  inputs: { length: number };
}
const odd = op("odd", async (i: Odd) => i);
export const oddNames = graph("oddNames", (input: Ref<Odd>) => {
  const o = odd({ id: input.id, name: input.name, start: input.start, stream: input.stream, inputs: input.inputs });
  return { id: o.id, name: o.name, start: o.start, stream: o.stream, inputs: o.inputs.length };
});
check<
  Equal<OutputOf<typeof oddNames>, { id: string; name: string; start: number; stream: string[]; inputs: number }>
>();

// a run gives streams as arrays
declare const engine: Engine;
const ran = await engine.run(inner, { x: "a" });
check<Equal<typeof ran, { tok: string[]; whole: string }>>();
// @ts-expect-error the input of a run is checked
await engine.run(inner, { y: "a" });
// @ts-expect-error and must be complete
await engine.run(inner, {});
const result: RunResult<{ tok: Stream<string> }> = await (await engine.start(inner, { x: "a" })).result();
// @ts-expect-error an output is only there when the run completed
result.output;
if (result.status === "completed") check<Equal<typeof result.output, { tok: string[] }>>();
check<Equal<Output<Stream<Stream<number>>>, number[][]>>();

// a graph is an op is a runnable, and what takes less or gives more stands in for it
declare const narrow: Op<{ x: string; n?: number }, { y: string; z: number }>;
declare const summary: typeof library.summary;
const runnable: Runnable<{ x: string }, { y: string }> = narrow;
const graphAsOp: Op<{ text: string }, { text: string }> = summary;
// @ts-expect-error it needs more input than is promised
const tooMuch: Runnable<{ text?: string }, { text: string }> = summary;
const anyGraph: Graph<never, unknown> = summary;
