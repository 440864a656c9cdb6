/** Outputs that stand in the thread: wherever the run goes, they go with it. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import {
  append,
  cell,
  END,
  exportRuns,
  graph,
  importRuns,
  memory,
  push,
  read,
  stateGraph,
  type Backend,
  type Ref,
} from "../../src/index.ts";
import { encrypted } from "../../src/node/index.ts";
import { rowsOf } from "./support/journal.ts";
import { open } from "./support/engines.ts";

const talk = stateGraph("talk", { state: { messages: append<string>() }, nodes: ["answer"] })
  .node("answer", async ({ messages }, to) => to.write({ messages: `${messages.length}` }))
  .branch("answer", ({ messages }) => (messages.length % 4 === 0 ? END : "answer"))
  .compile();

async function talked(backend: Backend, options: object = {}): Promise<void> {
  const engine = await open({ backend, ...options });
  for (const id of ["a", "b", "c"]) await engine.run(talk, { messages: id }, { thread: "t", id });
  await engine.close();
}

const outputs = {
  a: ["a", "1", "2", "3"],
  b: ["a", "1", "2", "3", "b", "5", "6", "7"],
  c: ["a", "1", "2", "3", "b", "5", "6", "7", "c", "9", "10", "11"],
};

async function opened(backend: Backend): Promise<Backend> {
  await backend.open("looker");
  return backend;
}

test("one run that is exported by itself has its output where it is imported, encrypted or not", async () => {
  const source = memory();
  await talked(source);
  const lines = await Array.fromAsync(exportRuns(await opened(source.another()), { runs: ["b"] }));
  const inner = memory();
  const keys = [randomBytes(32)];
  for (const [target, reader] of [
    [inner, inner.another()],
    [encrypted(memory(), { keys }), null],
  ] as const) {
    await importRuns(await opened(target), async function* () {
      yield* lines;
    });
    await target.close();
    const engine = await open({ backend: reader ?? target });
    expect((await engine.get("b"))?.output).toEqual({ messages: outputs.b });
    expect((await engine.list()).map(({ id }) => id)).toEqual(["b"]);
    await engine.close();
  }
});

test("a run that was compacted has its output, and so has one whose neighbours were pruned", async () => {
  const store = memory();
  await talked(store, { snapshots: { after: 1, share: Infinity } });
  const engine = await open({ backend: store.another(), graphs: [talk] });
  expect((await engine.compact("b")).records).toBeGreaterThan(0);
  expect((await engine.get("b"))?.output).toEqual({ messages: outputs.b });
  const pruner = await opened(store.another());
  await pruner.prune({ endedBefore: Number.MAX_SAFE_INTEGER, limit: 2, blobsBefore: 0 });
  expect((await engine.get("c"))?.output).toEqual({ messages: outputs.c });
  expect((await engine.stateAt("c", 5)).input).toBeDefined();
});

test("a fork of such a run comes to an output of its own, and the origin's stays", async () => {
  const engine = await open({ backend: memory(), graphs: [talk] });
  for (const id of ["a", "b"]) await engine.run(talk, { messages: id }, { thread: "t", id });
  const fork = await engine.fork("b", { at: 1 });
  expect(await fork.output()).toEqual({ messages: outputs.b });
  expect((await engine.get(fork.runId))?.output).toEqual({ messages: outputs.b });
  expect((await engine.get("b"))?.output).toEqual({ messages: outputs.b });
});

test("a field of an output of any graph that is a carried list is told by its place, and the rest written out", async () => {
  const said = cell("said", append<string>(), { carry: true });
  const say = graph("say", (input: Ref<{ text: string }>) => {
    const heard = push(said, input.text);
    return { text: input.text, all: read(said, { after: [heard] }) };
  });
  const store = memory();
  const engine = await open({ backend: store });
  const long = "x".repeat(5_000);
  for (const [n, text] of [long, "two", "three"].entries())
    await engine.run(say, { text }, { thread: "t", id: `r${n}` });
  expect((await engine.get("r2"))?.output).toEqual({ text: "three", all: [long, "two", "three"] });
  const stored = await rowsOf(await opened(store.another()), "r2");
  const last = new TextDecoder().decode(stored.at(-1)?.bytes);
  expect(last).toContain('"output":{"text":"three"}');
  expect(last).toContain('"carried":{"row":3,"fields":[["text",null],["all",["said"]]]}');
});
