/** What JavaScript lets people ask of a thread, and the compiler would not. */
import { expect, test } from "vitest";
import { z } from "zod";
import { last, memory, openEngine, stateGraph, threadsOf } from "../../src/index.ts";

const anything = { answer: z.unknown() };

const asks = stateGraph("asks", { state: { n: last(0) }, nodes: ["ask"] })
  .node("ask", (_state, to, run) => (run.answer("sure") === undefined ? to.interrupt("sure") : to.write({ n: 1 })), {
    asks: { sure: anything },
  })
  .compile();
const other = stateGraph("other", { state: { n: last(0) }, nodes: ["a"] })
  .node("a", () => [])
  .compile();

type Call = (...given: unknown[]) => Promise<unknown>;

async function opened() {
  const engine = await openEngine({ backend: memory(), graphs: [asks, other] });
  const threads = threadsOf(engine, asks);
  return { engine, threads, calls: threads as unknown as Readonly<Record<string, Call>> };
}

const refusals: Readonly<Record<string, readonly [string, readonly unknown[], RegExp]>> = {
  "a misspelt limit of a page": ["history", ["t", { limt: 1 }], /history\(\) of a thread option "limt".*"limit"/],
  "a limit below one": ["history", ["t", { limit: -1 }], /limit of history\(\).*not -1/],
  "a limit that is no number": ["history", ["t", { limit: Number.NaN }], /limit of history\(\).*not NaN/],
  "half a checkpoint": ["history", ["t", { limit: 1.5 }], /limit of history\(\).*not 1.5/],
  "a limit in words": ["history", ["t", { limit: "2" }], /limit of history\(\).*not "2"/],
  "an order that is none": [
    "history",
    ["t", { order: "sideways" }],
    /order of history\(\).*newest or oldest.*"sideways"/,
  ],
  "a place that is no text": ["history", ["t", { before: 3 }], /before must be a text, not 3/],
  "options of a page that are a list": ["history", ["t", [1]], /must be an object, not a list/],
  "a misspelt node of an update": ["update", ["t", { n: 1 }, { as_node: "ask" }], /option "as_node".*"asNode"/],
  "a misspelt option of an answer": ["answer", ["t", "sure", 1, { who: "ada" }], /option "who"/],
  "a number as who answers": ["answer", ["t", "sure", 1, { by: 7 }], /by must be a text, not 7/],
  "a misspelt option of a turn": ["start", ["t", { n: 1 }, { lable: {} }], /start\(\) of a thread option "lable"/],
  "a misspelt option of events": ["events", ["r0", { befor: 1 }], /events\(\) of a thread option "befor"/],
};

test.each(Object.entries(refusals))(
  "S17 %s is refused by its name, and nothing is done",
  async (_what, [call, given, message]) => {
    const { engine, threads, calls } = await opened();
    await (await threads.start("t", { n: 0 }, { id: "r0" })).result();
    const refused = { code: "InvalidOption", message: expect.stringMatching(message) as string };
    await expect(calls[call]!(...given)).rejects.toMatchObject(refused);
    expect([(await engine.list({ thread: "t" })).length, (await threads.state("t"))?.status]).toEqual([
      1,
      "interrupted",
    ]);
    await engine.close();
  },
);

test("S17 events of a run of another graph are refused by the names of both", async () => {
  const { engine, threads } = await opened();
  await (await engine.start(other, { n: 1 }, { id: "theirs" })).result();
  await expect(threads.events("theirs")).rejects.toMatchObject({
    code: "RunNotFound",
    message: expect.stringContaining("run theirs is of graph other, and not of asks"),
  });
  await engine.close();
});

test("S17 an answer to what a thread does not ask names the thread and the question", async () => {
  const { engine, threads } = await opened();
  await (await threads.start("t", { n: 0 }, { id: "r0" })).result();
  await expect(threads.answer("t", "sur", 1)).rejects.toMatchObject({
    code: "InterruptNotFound",
    message: expect.stringMatching(/thread "t" does not ask "sur"[^]*it asks sure/) as string,
  });
  await (await threads.answer("t", "sure", 1)).output();
  await expect(threads.answer("t", "sure", 1)).rejects.toMatchObject({ code: "RunEnded" });
  await engine.close();
});
