// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// What reading a run gives, exactly.
import type { Engine } from "../src/engine/api.ts";
import type { Op, RunStream, RunResult, Stream, TaskEvent, UpdateEvent } from "../src/index.ts";
import * as flows from "../test/acceptance/prototype/flows.ts";
import { check, type Equal } from "./equal.ts";
import { inner as tokens } from "./prototype/extra.ts";

declare const engine: Engine;

const inner = await engine.start(tokens, { x: "a" });
check<Equal<ReturnType<typeof inner.items<"tok">>, RunStream<string>>>();
for await (const token of inner.items("tok")) check<Equal<typeof token, string>>();
// @ts-expect-error not a stream
inner.items("whole");
// @ts-expect-error no such key
inner.items("toc");
// @ts-expect-error a record of streams is read by key
inner.items();

const voice = await engine.start(flows.voice, { call: "x" });
// inner streams are whole
for await (const lengths of voice.items("ms")) check<Equal<typeof lengths, number[]>>();

declare const gen: Op<{ x: string }, Stream<{ tok: string }>>;
const bare = await engine.start(gen, { x: "a" });
for await (const item of bare.items()) check<Equal<typeof item, { tok: string }>>();
// @ts-expect-error the output is the stream: it has no keys
bare.items("tok");

// of a run that was resumed the output is unknown
const resumed = await engine.resume("r");
for await (const item of resumed.items("tok")) check<Equal<typeof item, unknown>>();

for await (const event of inner.stream("updates")) check<Equal<typeof event, UpdateEvent>>();
for await (const event of inner.stream(["tasks", "updates"])) {
  check<Equal<typeof event, UpdateEvent | TaskEvent>>();
  if (event.mode === "tasks" && event.task === "yielded") check<Equal<typeof event.index, number>>();
}
for await (const event of inner.stream("output")) {
  if ("result" in event) {
    const result: RunResult<{ tok: Stream<string>; whole: string }> = event.result;
    if (event.result.status === "completed")
      check<Equal<typeof event.result.output, { tok: string[]; whole: string }>>();
  }
}
for await (const event of inner.stream("values")) check<Equal<typeof event.values.whole, string | undefined>>();
// @ts-expect-error there is no such mode
inner.stream("frames");
const web: ReadableStream<UpdateEvent> = (await engine.stream("r", "updates")).toReadable();
for await (const event of await engine.stream(inner, "values"))
  check<Equal<typeof event.values.tok, string[] | undefined>>();
