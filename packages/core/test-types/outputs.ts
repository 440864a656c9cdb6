// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// What graphs give, exactly.
import type { Engine, RunResult } from "../src/engine/api.ts";
import type { Graph, Op, Output, Runnable, Settled, Stream } from "../src/index.ts";
import * as flows from "./flows.ts";
import { check, type Equal, type OutputOf } from "./equal.ts";

check<Equal<OutputOf<typeof flows.nightly>, { rows: Settled<{ path: string; chunks: number }>[] }>>();
check<Equal<OutputOf<typeof flows.voice>, { ms: Stream<Stream<number>>; said: string[][]; call: string }>>();
check<Equal<OutputOf<typeof flows.callCenter>, { longest: number[] }>>();
check<Equal<OutputOf<typeof flows.digest>, { text: string }>>();
check<Equal<OutputOf<typeof flows.evaluate>["mean"], number>>();
check<Equal<OutputOf<typeof flows.evaluate>["log"], string[]>>();
check<
  Equal<OutputOf<typeof flows.evaluate>["rows"], Settled<{ q: string; score: number; verdict: "pass" | "fail" }>[]>
>();
check<Equal<OutputOf<typeof flows.summary>, { text: string }>>();
check<Equal<OutputOf<typeof flows.both>["heading"], string>>();
check<Equal<OutputOf<typeof flows.both>["j"], { score: number; verdict: "pass" | "fail" }>>();
check<Equal<OutputOf<typeof flows.inner>, { tok: Stream<string>; whole: string }>>();
check<Equal<OutputOf<typeof flows.outer>, { one: string; many: string[]; all: string[][] }>>();
check<Equal<OutputOf<typeof flows.parts>["nested"], Stream<{ deep: string[] }>>>();
check<Equal<OutputOf<typeof flows.parts>["only"], Stream<number>>>();
check<
  Equal<OutputOf<typeof flows.oddNames>, { id: string; name: string; start: number; stream: string[]; inputs: number }>
>();
check<Equal<OutputOf<ReturnType<typeof flows.dynamic>>, { all: { [k: string]: string } }>>();

// a run gives streams as arrays
declare const engine: Engine;
const voice = await engine.run(flows.voice, { call: "x" });
check<Equal<typeof voice, { ms: number[][]; said: string[][]; call: string }>>();
const inner = await engine.run(flows.inner, { x: "a" });
check<Equal<typeof inner, { tok: string[]; whole: string }>>();
// @ts-expect-error the input of a run is checked
await engine.run(flows.inner, { y: "a" });
// @ts-expect-error and must be complete
await engine.run(flows.inner, {});
const result: RunResult<{ tok: Stream<string> }> = await (await engine.start(flows.inner, { x: "a" })).result();
// @ts-expect-error an output is only there when the run completed
result.output;
if (result.status === "completed") check<Equal<typeof result.output, { tok: string[] }>>();
check<Equal<Output<Stream<Stream<number>>>, number[][]>>();

// a graph is an op is a runnable, and what takes less or gives more stands in for it
declare const narrow: Op<{ x: string; n?: number }, { y: string; z: number }>;
const runnable: Runnable<{ x: string }, { y: string }> = narrow;
const graphAsOp: Op<{ text: string }, { text: string }> = flows.summary;
// @ts-expect-error it needs more input than is promised
const tooMuch: Runnable<{ text?: string }, { text: string }> = flows.summary;
const anyGraph: Graph<never, unknown> = flows.summary;
