import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  cell,
  checkAgainst,
  checkRuns,
  exportRuns,
  graph,
  importRuns,
  interrupt,
  memory,
  op,
  openEngine,
  push,
  read,
  WrappedBackend,
  type Backend,
  type CarriedRow,
  type Engine,
  type Ref,
} from "../../../src/index.ts";
import type { MemoryBackend } from "../../../src/backends/memory.ts";
import { encrypted } from "../../../src/node/index.ts";

const said = cell("said", append<string>(), { carry: true });
const answer = z.object({ ok: z.boolean() });
const use = op("use", async ({ ok }: { ok: boolean }) => ({ used: ok }));

/** A turn of a conversation that asks before it ends. */
const turn = graph("turn", (input: Ref<{ text: string }>) => {
  const heard = push(said, input.text);
  const { ok } = interrupt("sure", {}, { answer, title: "Sure?", after: [heard] });
  return { all: read(said, { after: [heard] }), used: use({ ok }).used };
});

async function say(engine: Engine, id: string, thread: string): Promise<void> {
  const handle = await engine.start(turn, { text: id }, { id, thread });
  await handle.result();
  await handle.answer("sure", { ok: true }, { by: "ann" });
  await handle.result();
}

/** Two turns that ended, a third one that waits, and a fork of the second. */
async function filled(): Promise<MemoryBackend> {
  const store = memory();
  const engine = await openEngine({ backend: store, graphs: [turn] });
  await say(engine, "one", "t");
  await say(engine, "two", "t");
  await (await engine.start(turn, { text: "three" }, { id: "three", thread: "t" })).result();
  await (await engine.fork("two", { id: "fork", rerun: ["turn/use"] })).result();
  await engine.close();
  return store;
}

async function looking(backend: Backend): Promise<Backend> {
  await backend.open("looker");
  return backend;
}

test("threads and forks go out and come in, and go on as they would have; encrypted too", async () => {
  const source = await looking((await filled()).another());
  const lines = await Array.fromAsync(exportRuns(source));
  const inner = memory();
  const keys = [randomBytes(32)];
  const target = await looking(encrypted(inner, { keys }));
  const { imported } = await importRuns(target, async function* () {
    yield* lines;
  });
  expect(imported).toEqual(["one", "two", "three", "fork"]);
  expect(await Array.fromAsync(exportRuns(target))).toEqual(lines);
  expect(await target.get("three")).toMatchObject({ thread: "t", carriedUpTo: 2 });
  expect(await Array.fromAsync(checkAgainst(target, [turn]))).toMatchObject([{ runId: "three", verdict: "fits" }]);
  const problems: unknown[] = [];
  expect(await checkRuns(target, { found: (problem) => problems.push(problem) })).toEqual({ runs: 4, problems: 0 });
  await target.close();

  const engine = await openEngine({ backend: encrypted(inner.another(), { keys }), graphs: [turn] });
  const { interrupts } = (await engine.get("three"))!;
  const handle = await engine.answer("three", interrupts[0]!.id, { ok: true });
  expect(await handle.output()).toEqual({ all: ["one", "two", "three"], used: true });
  expect((await engine.get("fork"))!.forkedFrom).toMatchObject({ runId: "two", rerun: ["turn/use"] });
  await say(engine, "four", "t");
  expect((await engine.get("four"))!.output).toMatchObject({ all: ["one", "two", "three", "four"] });
  await engine.close();
});

test("a fork tells of the questions that it took over what its origin tells: who answered, and when", async () => {
  const engine = await openEngine({ backend: await filled() });
  const [origin, fork] = [(await engine.get("two"))!, (await engine.get("fork"))!];
  expect(fork.answered).toMatchObject(origin.answered.map(({ node, path, by, at }) => ({ node, path, by, at })));
  const times = (runId: string): Promise<unknown[]> => askedOf(engine, runId);
  expect(await times("fork")).toEqual(await times("two"));
  await engine.close();
});

async function askedOf(engine: Engine, runId: string): Promise<unknown[]> {
  const entries = await Array.fromAsync(engine.history(runId));
  return entries
    .filter(({ kind }) => kind === "asked" || kind === "answered")
    .map(({ kind, node, at }) => [kind, node, at]);
}

/** Somebody ends the run between the look at its row and the look at its thread. */
class Meanwhile extends WrappedBackend {
  #then: (() => Promise<void>) | undefined;

  constructor(inner: Backend, then: () => Promise<void>) {
    super(inner);
    this.#then = then;
  }

  override async carried(thread: string, upTo?: number): Promise<CarriedRow[]> {
    const then = this.#then;
    this.#then = undefined;
    await then?.();
    return this.inner.carried(thread, upTo);
  }
}

test("a run that ends while it is exported is exported as it stood, and so is its thread", async () => {
  const store = await filled();
  const source = new Meanwhile(store.another(), async () => {
    const engine = await openEngine({ backend: store.another(), graphs: [turn] });
    const { interrupts } = (await engine.get("three"))!;
    await (await engine.answer("three", interrupts[0]!.id, { ok: true })).result();
    await engine.close();
  });
  await source.open("looker");
  const lines = await Array.fromAsync(exportRuns(source, { runs: ["three", "one"] }));
  expect((await source.inner.carried("t")).at(-1)).toMatchObject({ n: 3, runId: "three" });
  const target = await looking(memory());
  await importRuns(target, async function* () {
    yield* lines;
  });
  expect(await target.get("three")).toMatchObject({ status: "interrupted", carriedUpTo: 2 });
  expect((await target.carried("t")).at(-1)).toMatchObject({ n: 2, runId: "two" });
});
