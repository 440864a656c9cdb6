import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  graph,
  interrupt,
  memory,
  memoryTraces,
  op,
  openEngine,
  type EngineOptions,
  type Ref,
  type RunOptions,
} from "../../src/index.ts";
import { listTraces, readTrace, sqlite, sqliteTraces } from "../../src/node/index.ts";
import { open, resumedOn } from "./support/engines.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";

const look = op("look", async ({ x }: { x: number }, ctx) => ({ x, traceId: ctx.traceId, labels: ctx.labels }));
const again = op("again", async ({ x }: { x: number }, ctx) => ({ traceId: ctx.traceId, labels: ctx.labels, x }));
const flow = graph("flow", (input: Ref<{ x: number }>) => {
  const first = look({ x: input.x });
  const second = again({ x: first.x });
  return { one: { t: first.traceId, l: first.labels }, two: { t: second.traceId, l: second.labels } };
});
const asks = graph("asks", (_input: Ref<{}>) => {
  const { ok } = interrupt("approve", {}, { answer: z.object({ ok: z.boolean() }) });
  return { ok };
});

const labels = { user: "ann", session: "s-1", "request.id": "" };
const tags = { traceId: "00-4bf92f-00f067-01", labels };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "millrace-labels-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const stores: readonly (readonly [string, () => EngineOptions])[] = [
  ["without a backend", () => ({})],
  ["with memory", () => ({ backend: memory() })],
  ["with SQLite", () => ({ backend: sqlite(join(folder(), "runs.db")) })],
];

for (const [where, options] of stores) {
  test(`R32 ${where} the trace id and the labels of the caller are in ctx, on the handle, in the result and in its event`, async () => {
    const engine = await open(options());
    const handle = await engine.start(flow, { x: 1 }, tags);
    expect([handle.traceId, handle.labels]).toEqual([tags.traceId, labels]);
    const events = [];
    for await (const event of handle.stream("output")) if ("result" in event) events.push(event.result);
    const told = { t: tags.traceId, l: labels };
    const result = await handle.result();
    expect(result).toMatchObject({ status: "completed", output: { one: told, two: told }, ...tags });
    expect(events).toEqual([result]);
  });

  test(`R32 ${where} a run without them has none, and its result has no fields for them`, async () => {
    const engine = await open(options());
    for (const none of [undefined, {}, { labels: {} }]) {
      const handle = await engine.start(look, { x: 1 }, none);
      expect([handle.traceId, handle.labels]).toEqual([undefined, {}]);
      expect(Object.keys(await handle.result())).toEqual(["status", "output", "errors", "cells"]);
      expect(await handle.output()).toEqual({ x: 1, traceId: undefined, labels: {} });
    }
  });
}

for (const [where, options] of stores.slice(1)) {
  test(`R32 ${where} get and list show them, and list finds the runs that have all labels it is given`, async () => {
    const engine = await open({ ...options(), graphs: [look] });
    await engine.run(look, { x: 1 }, { id: "a", labels: { user: "ann", session: "1" }, traceId: "t-a" });
    await engine.run(look, { x: 1 }, { id: "b", labels: { user: "ann", session: "2" } });
    await engine.run(flow, { x: 1 }, { id: "c", labels: { user: "bob", session: "1" } });
    await engine.run(look, { x: 1 }, { id: "d", traceId: "t-d" });
    expect(await engine.get("a")).toMatchObject({ traceId: "t-a", labels: { user: "ann", session: "1" } });
    expect(await engine.get("d")).toMatchObject({ traceId: "t-d", labels: null });
    for await (const event of await engine.stream("a", "output"))
      expect(event).toMatchObject("result" in event ? { result: { labels: { user: "ann" }, traceId: "t-a" } } : {});
    const ids = async (filter: Parameters<typeof engine.list>[0]): Promise<string[]> =>
      (await engine.list(filter)).map(({ id }) => id).toSorted();
    expect(await ids({ labels: { user: "ann" } })).toEqual(["a", "b"]);
    expect(await ids({ labels: { session: "1" } })).toEqual(["a", "c"]);
    expect(await ids({ labels: { session: "1" }, graph: "flow" })).toEqual(["c"]);
    expect(await ids({ labels: { user: "ann", session: "2" } })).toEqual(["b"]);
    expect(await ids({ labels: { user: "ann", request: "1" } })).toEqual([]);
    expect(await ids({ labels: {} })).toEqual(["a", "b", "c", "d"]);
  });
}

test("R32 R11 they are journaled with the start: after a crash behind any record ops and replies are told the same", async () => {
  const backend = memory();
  const engine = await open({ backend });
  const whole = await (await engine.start(flow, { x: 1 }, { id: "run", ...tags })).result();
  const recording = await recordingOf(backend, "run");
  expect(recording.records[0]?.[1]).toMatchObject(tags);
  for (let cut = 1; cut < recording.records.length; cut++)
    expect(await resumedOn(await crashedBehind(recording, cut), flow)).toEqual(whole);
});

test("R32 a run without them has the first record that it always had", async () => {
  const backend = memory();
  const engine = await open({ backend });
  await engine.run(look, { x: 1 }, { id: "run" });
  const [started] = (await recordingOf(backend, "run")).records;
  expect(Object.keys(started?.[1] as object)).not.toContain("labels");
  expect(Object.keys(started?.[1] as object)).not.toContain("traceId");
});

test("R32 R11 a run that another process takes over keeps them in ctx, get and list", async () => {
  const file = join(folder(), "runs.db");
  const first = sqlite(file);
  const dead = await openEngine({ backend: first, warn: () => undefined });
  await dead.start(asks, {}, { id: "run", ...tags });
  await first.abandon();
  const engine = await open({ backend: sqlite(file), graphs: [asks] });
  const handle = await engine.answer("run", "approve", { ok: true });
  expect(await handle.result()).toMatchObject({ output: { ok: true }, ...tags });
  expect([handle.traceId, handle.labels]).toEqual([tags.traceId, labels]);
  expect(await engine.list({ labels })).toMatchObject([{ id: "run", status: "completed", ...tags }]);
  await dead.close();
});

test("R32 traces have them, in memory and in SQLite", async () => {
  const file = join(folder(), "traces.db");
  const inMemory = memoryTraces();
  const engine = await open({ traces: { sinks: [inMemory, sqliteTraces(file)] } });
  await engine.run(look, { x: 1 }, { id: "marked", ...tags });
  await engine.run(look, { x: 1 }, { id: "plain" });
  await engine.close();
  expect(inMemory.trace("marked")?.run).toMatchObject({ status: "completed", ...tags });
  expect(inMemory.trace("plain")?.run).toMatchObject({ traceId: null, labels: null });
  expect(readTrace(file, "marked")?.run).toEqual(inMemory.trace("marked")?.run);
  expect(listTraces(file)).toContainEqual(inMemory.trace("plain")?.run);
});

for (const [where, options] of stores)
  test(`R32 the trace of a run that waited for an answer still has them, ${where}`, async () => {
    const traces = memoryTraces();
    const engine = await open({ ...options(), traces: { sinks: [traces] } });
    const handle = await engine.start(asks, {}, { id: "run", ...tags });
    expect(await handle.result()).toMatchObject({ status: "interrupted", ...tags });
    await handle.answer("approve", { ok: true });
    await handle.result();
    expect(traces.trace("run")?.run).toMatchObject({ status: "completed", ...tags });
    expect(traces.records.filter(({ type }) => type === "run")).toSatisfy((runs: (typeof tags)[]) =>
      runs.every(({ traceId }) => traceId === tags.traceId),
    );
  });

test("R32 a trace file of version 1 is read as it stands, and gains them when it is written", async () => {
  const file = join(folder(), "traces.db");
  const now = memoryTraces();
  const old = await openEngine({ traces: { sinks: [now, sqliteTraces(file)] } });
  await old.run(look, { x: 1 }, { id: "old" });
  await old.close();
  const direct = new DatabaseSync(file);
  direct.exec(`ALTER TABLE runs DROP COLUMN trace_id; ALTER TABLE runs DROP COLUMN labels;
    ALTER TABLE invocations DROP COLUMN cached; ALTER TABLE runs DROP COLUMN thread; PRAGMA user_version = 1`);
  direct.close();
  expect(readTrace(file, "old")?.run).toEqual(now.trace("old")?.run);
  const engine = await openEngine({ traces: { sinks: [sqliteTraces(file)] } });
  await engine.run(look, { x: 1 }, { id: "new", ...tags });
  await engine.close();
  expect(readTrace(file, "new")?.run).toMatchObject(tags);
  expect(readTrace(file, "old")?.run).toMatchObject({ traceId: null, labels: null });
});

test("R32 labels are the run's own frozen copy", async () => {
  const given: Record<string, string> = { user: "ann" };
  const change = op("change", async (_input: object, ctx) => {
    given["user"] = "bob";
    expect(() => Object.assign(ctx.labels, { user: "eve" })).toThrow(TypeError);
    return { user: ctx.labels["user"] };
  });
  for (const [, options] of stores) {
    given["user"] = "ann";
    const engine = await open(options());
    expect(await engine.run(change, {}, { labels: given })).toEqual({ user: "ann" });
  }
});

const many = (n: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, ""]));

test.each([
  [{ labels: many(17) }, "at most 16 labels, not 17"],
  [{ labels: { "": "x" } }, 'and "" is not'],
  [{ labels: { "user name": "x" } }, 'and "user name" is not'],
  [{ labels: { üser: "x" } }, 'and "üser" is not'],
  [{ labels: { ["k".repeat(65)]: "x" } }, "1 to 64 letters"],
  [{ labels: { user: 7 } }, 'label "user" must be a text, not 7'],
  [{ labels: { user: undefined } }, 'label "user" must be a text, not undefined'],
  [{ labels: { user: "x".repeat(257) } }, 'label "user" has 257 characters'],
  [{ labels: { user: "a\0b" } }, 'label "user" is not well-formed'],
  [{ labels: { user: "\ud800" } }, 'label "user" is not well-formed'],
  [{ labels: ["ann"] }, "labels must be an object, not a list"],
  [{ labels: new Map([["user", "ann"]]) }, "labels must be a plain object"],
  [{ labels: null }, "labels must be an object, not null"],
  [{ labels: "user=ann" }, 'labels must be an object, not "user=ann"'],
  [{ traceId: "" }, 'traceId must be 1 to 128 visible ASCII characters, and "" is not'],
  [{ traceId: "a b" }, 'and "a b" is not'],
  [{ traceId: "é" }, 'and "é" is not'],
  [{ traceId: "x".repeat(129) }, "traceId must be"],
  [{ traceId: null }, "and null is not"],
  [{ lables: {} }, 'did you mean "labels"?'],
])("R32 %j is refused as InvalidOption before there is a run", async (options, message) => {
  const engine = await open({ backend: memory() });
  const refused = { code: "InvalidOption", message: expect.stringContaining(message) as string };
  await expect(engine.run(look, { x: 1 }, options as RunOptions)).rejects.toMatchObject(refused);
  await expect(engine.start(look, { x: 1 }, options as RunOptions)).rejects.toMatchObject(refused);
  expect(await engine.list()).toEqual([]);
});

test.each([[{ user: 7 }], [["ann"]], [null], [{ "user name": "x" }]])(
  "R32 a list filter of labels %j is refused as InvalidOption",
  async (given) => {
    const engine = await open({ backend: memory() });
    await expect(engine.list({ labels: given as never })).rejects.toMatchObject({ code: "InvalidOption" });
  },
);

test("R32 what is just allowed is allowed", async () => {
  const engine = await open({ backend: memory() });
  const most = { ...many(13), ["k".repeat(64)]: "é".repeat(256), __proto__x: "1", "A.b-c_9": "a b\n" };
  await engine.run(look, { x: 1 }, { labels: most, traceId: "~".repeat(128) });
  const [row] = await engine.list({ labels: most });
  expect(row).toMatchObject({ labels: most, traceId: "~".repeat(128) });
  const odd = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
  await engine.run(look, { x: 1 }, { id: "odd", labels: odd });
  expect((await engine.list({ labels: odd })).map(({ id }) => id)).toEqual(["odd"]);
  expect(await engine.list({ labels: { toString: "x" } })).toEqual([]);
});
