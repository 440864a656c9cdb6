import { describe, expect, test } from "vitest";
import {
  add,
  cell,
  collect,
  each,
  graph,
  ingress,
  interrupt,
  memory,
  op,
  push,
  type Engine,
  type HistoryEntry,
  type Ref,
} from "../../src/index.ts";
import { open } from "./support/engines.ts";
import { eventually } from "./support/gate.ts";
import { z } from "zod";

const total = cell("total", add());
const measure = op("measure", async ({ word }: { word: string }) => {
  if (word === "bad") throw new Error("it is bad");
  return { n: word.length };
});
const measuring = graph("measuring", (input: Ref<{ words: string[] }>) => {
  const { n } = measure({ word: each(input.words) });
  push(total, n);
  const sure = interrupt("sure", { text: "go on?" }, { answer: z.object({ yes: z.boolean() }), after: [n] });
  return { all: collect(n, { errors: "skip" }), yes: sure.yes };
});

async function measured(): Promise<{ engine: Engine; backend: ReturnType<typeof memory> }> {
  const backend = memory();
  const engine = await open({ backend, graphs: [measuring] });
  const run = await engine.start(measuring, { words: ["one", "bad", "three"] }, { id: "run" });
  await run.result();
  await run.answer("sure", { yes: true }, { by: "ann" });
  await run.result();
  return { engine, backend };
}

function historyOf(engine: Engine, runId: string): Promise<HistoryEntry[]> {
  return Array.fromAsync(engine.history(runId));
}

describe("P5.1 history", () => {
  test("tells every record with names, places and values", async () => {
    const { engine } = await measured();
    const entries = await historyOf(engine, "run");
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1));
    expect(entries.map(({ kind }) => kind)).toEqual([
      "started",
      "output",
      "attemptFailed",
      "output",
      "asked",
      "ended",
      "resumed",
      "answered",
      "ended",
    ]);
    expect(entries[0]).toMatchObject({
      graph: "measuring",
      value: { words: ["one", "bad", "three"] },
      at: expect.any(Number),
    });
    expect(entries[1]).toEqual({
      seq: 2,
      batch: 2,
      kind: "output",
      node: "measure",
      items: [0],
      path: "measuring/input.words[0]/measure",
      value: { n: 3 },
    });
    expect(entries[2]).toMatchObject({ attempt: 1, error: { type: "Error", message: "it is bad" }, items: [1] });
    expect(entries[4]).toMatchObject({ node: "sure", path: "measuring/sure", value: { text: "go on?" } });
    expect(entries[7]).toMatchObject({ by: "ann", value: { yes: true } });
    expect(entries[8]).toMatchObject({ status: "completed", value: { all: [3, 5], yes: true } });
  });

  test("needs no graph, and then knows nodes and indices", async () => {
    const { backend } = await measured();
    const other = await open({ backend: backend.another() });
    const [, second] = await historyOf(other, "run");
    expect(second).toEqual({ seq: 2, batch: 2, kind: "output", node: "measure", items: [0], value: { n: 3 } });
  });

  test("is read in pages, a decision in the batch of what made it", async () => {
    const { engine } = await measured();
    const all = await historyOf(engine, "run");
    const page = await Array.fromAsync(engine.history("run", { from: 3, limit: 2 }));
    expect(page).toEqual(all.slice(2, 4));
    await expect(Array.fromAsync(engine.history("run", { from: 99 }))).rejects.toThrow(
      expect.objectContaining({ code: "SeqOutOfRange" }),
    );
    await expect(Array.fromAsync(engine.history("nobody"))).rejects.toThrow(
      expect.objectContaining({ code: "RunNotFound" }),
    );
    expect(() => engine.history("run", { limit: 0 })).toThrow(expect.objectContaining({ code: "InvalidOption" }));
  });
});

test("P5.1 the state behind a record: status, outputs, cells, questions and errors as they were", async () => {
  const { engine } = await measured();
  expect(await engine.stateAt("run", 1)).toMatchObject({ seq: 1, status: "running", outputs: {}, cells: { total: 0 } });
  expect(await engine.stateAt("run", 2)).toMatchObject({
    outputs: { "measuring/input.words[0]/measure": { n: 3 } },
    cells: { total: 3 },
    errors: [],
    interrupts: [],
  });
  expect(await engine.stateAt("run", 6)).toMatchObject({
    status: "interrupted",
    cells: { total: 8 },
    errors: [{ node: "measure", count: 1 }],
    interrupts: [{ node: "sure", payload: { text: "go on?" } }],
  });
  const end = await engine.stateAt("run", 9);
  expect(end).toMatchObject({ status: "completed", output: { all: [3, 5], yes: true }, interrupts: [], more: 0 });
  const last = await engine.stateAt("run", 9, { limit: 1 });
  expect(Object.keys(last.outputs)).toEqual(["measuring/sure"]);
  expect(last.more).toBe(Object.keys(end.outputs).length - 1);
});

describe("hostile input", () => {
  const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => "nothing",
      (error: { code?: unknown }) => error.code,
    );

  test("is refused by name, and makes no run", async () => {
    const { engine } = await measured();
    const fork = (options: unknown): Promise<unknown> => codeOf(engine.fork("run", options as never));
    const outputs = (patch: unknown): Promise<unknown> => fork({ patch: { outputs: patch } });
    expect(await codeOf(engine.fork("nobody"))).toBe("RunNotFound");
    for (const at of [10, 1e9]) expect([at, await fork({ at })]).toEqual([at, "SeqOutOfRange"]);
    for (const at of [0, -1, 1.5, NaN, Infinity, "3", null, {}])
      expect([at, await fork({ at })]).toEqual([at, "InvalidOption"]);
    for (const wrong of [
      { At: 1 },
      { patch: 1 },
      { patch: { output: {} } },
      { patch: { outputs: [] } },
      { rerun: "x" },
      { rerun: [1] },
      { id: "no spaces" },
      { labels: 7 },
      null,
    ])
      expect([wrong, await fork(wrong)]).toEqual([wrong, "InvalidOption"]);
    const paths = [
      "",
      "nope",
      "measuring/nope",
      "measuring/input.words/measure",
      "measuring/input.words[0]/measure/x",
      "measuring/input.words[-1]/measure",
      "__proto__",
      "constructor",
      "measuring/input.words[9999999999999999999999]/measure",
    ];
    for (const path of paths) expect([path, await outputs({ [path]: { n: 1 } })]).toEqual([path, "NoSuchNode"]);
    expect(await outputs({ "measuring/sure": { yes: true } })).toBe("NoSuchNode");
    expect(await outputs({ "measuring/input.words[0]/measure": { n: () => 1 } })).toBe("Unencodable");
    expect(await fork({ patch: { cells: { tota: 1 } } })).toBe("NoSuchNode");
    expect(await fork({ patch: { cells: { total: Symbol("x") } } })).toBe("Unencodable");
    expect(await fork({ id: "run", rerun: ["measuring/sure"] })).toBe("RunExists");
    expect(await engine.list()).toHaveLength(1);
  });

  test("messages name the nearest path and cell, and why a question is none", async () => {
    const { engine } = await measured();
    const said = (options: object): Promise<string> => engine.fork("run", options).then(String, String);
    expect(await said({ rerun: ["measuring/sur"] })).toContain('did you mean "measuring/sure"?');
    expect(await said({ rerun: ["x"] })).toContain("measuring/input.words[…]/measure");
    expect(await said({ patch: { cells: { tota: 1 } } })).toContain('did you mean "total"?');
    expect(await said({ patch: { outputs: { sure: {} } } })).toContain("asked again");
  });

  test("an item that never comes leaves its patch unused", async () => {
    const { engine } = await measured();
    const patch = { outputs: { "measuring/input.words[7]/measure": { n: 1 } } };
    const fork = await engine.fork("run", { at: 4, patch });
    expect(await fork.result()).toMatchObject({ status: "interrupted" });
  });

  test("another graph of that name, and none, are told apart", async () => {
    const { backend } = await measured();
    const changed = graph("measuring", (input: Ref<{ words: string[] }>) => ({
      all: collect(measure({ word: each(input.words) }).n),
    }));
    const other = await open({ backend: backend.another(), graphs: [changed] });
    expect(await codeOf(other.fork("run", { at: 1 }))).toBe("FingerprintMismatch");
    expect(await codeOf(other.stateAt("run", 1))).toBe("FingerprintMismatch");
    const bare = await open({ backend: backend.another() });
    expect(await codeOf(bare.fork("run", { at: 1 }))).toBe("UnknownGraph");
    expect(await codeOf(bare.stateAt("run", 1))).toBe("UnknownGraph");
    const without = await open({ graphs: [measuring] });
    expect(await codeOf(without.fork("run"))).toBe("RunNotFound");
    await other.close();
    expect(await codeOf(other.fork("run"))).toBe("EngineClosed");
  });

  test("a live input that was open cannot be sent again", async () => {
    const echo = op("echo", async ({ line }: { line: string }) => ({ line }));
    const live = graph("live", (_input: Ref<{}>) => ({
      all: collect(echo({ line: ingress("lines", { item: z.object({ line: z.string() }) }).line }).line),
    }));
    const engine = await open({ backend: memory(), graphs: [live] });
    const run = await engine.start(live, {}, { id: "run" });
    await run.send("lines", { line: "a" });
    await eventually("it is through", async () => (await engine.get("run"))?.finished["echo"] === 1);
    expect(await codeOf(engine.fork("run"))).toBe("NotResumable");
    run.end("lines");
    expect(await run.output()).toEqual({ all: ["a"] });
    expect(await (await engine.fork("run", { rerun: ["live/lines[0]/echo"] })).output()).toEqual({ all: ["a"] });
  });
});
