/** Engines whose backend, schemas or leases make trouble: nothing is lost, counted twice, or stuck, and nobody spins. */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  graph,
  interrupt,
  memory,
  onEnd,
  op,
  WrappedBackend,
  type Append,
  type AppendResult,
  type JournalRow,
  type Post,
  type PostResult,
  type Ref,
} from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually } from "../acceptance/support/eventually.ts";

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
/** One question. */
function ask(answer: z.ZodType = z.number()) {
  return graph("ask", () => ({ said: interrupt("q", {}, { answer }) }));
}

class Lease extends WrappedBackend {
  isAlive = true;

  override alive(): boolean {
    return this.isAlive;
  }
}

test("what waited for a lease that was renewed between two looks goes on", async () => {
  const slow = op("slow", { async: true }, async () => {
    await pause(60);
    return { n: 1 };
  });
  const after = op("after", async ({ n }: { n: number }) => ({ n: n + 1 }));
  const flow = graph("flow", () => ({ n: after({ n: slow().n }).n }));
  const backend = new Lease(memory());
  const engine = await open({ backend, graphs: [flow], poll: 100 });
  const handle = await engine.start(flow, {}, { id: "r" });
  await pause(20);
  backend.isAlive = false;
  await pause(60);
  backend.isAlive = true;
  expect(await handle.result()).toMatchObject({ status: "completed", output: { n: 2 } });
});

test("the finalizers of a run that is cancelled at rest run, whoever cancels it and how", async () => {
  let cleaned = 0;
  const clean = op("clean", async ({ status }: { status: string }) => ({ status, n: ++cleaned }));
  const flow = graph("flow", () => {
    onEnd("cleanup", (end) => clean({ status: end.status }));
    return { said: interrupt("q", {}, { answer: z.number() }) };
  });
  const rest = async (): Promise<MemoryBackend> => {
    const store = memory();
    const engine = await open({ backend: store, graphs: [flow] });
    await (await engine.start(flow, {}, { id: "r" })).result();
    await engine.close();
    return store;
  };
  const fresh = await open({ backend: (await rest()).another(), graphs: [flow], recover: false });
  expect(await fresh.cancel("r", "stop")).toMatchObject({ status: "cancelled", errors: [] });
  expect(cleaned).toBe(1);
  const own = await open({ backend: memory(), graphs: [flow] });
  const handle = await own.start(flow, {}, { id: "r" });
  await handle.result();
  expect(await handle.cancel("stop")).toMatchObject({ status: "cancelled", errors: [] });
  expect(cleaned).toBe(2);
  const store = await rest();
  const other = store.another();
  await other.open("other");
  const bytes = new TextEncoder().encode("bye");
  await other.post({ runId: "r", kind: "cancel", key: "", bytes, by: null, at: 1, wakes: ["interrupted"] });
  const next = await open({ backend: store.another(), graphs: [flow] });
  await eventually(async () => expect(await next.get("r")).toMatchObject({ status: "cancelled", reason: "bye" }));
  expect(cleaned).toBe(3);
});

test("an answer that its schema makes unencodable is refused, and the question stays open, here and from afar", async () => {
  const odd = ask(z.number().transform((n) => (n < 0 ? (): number => n : n)));
  const store = memory();
  const warnings: string[] = [];
  const engine = await open({ backend: store, graphs: [odd], poll: 5, warn: (text) => warnings.push(text) });
  const handle = await engine.start(odd, {}, { id: "r" });
  await expect(handle.answer("q", -1)).rejects.toMatchObject({ code: "Unencodable" });
  await handle.result();
  const web = await open({ backend: store.another() });
  await web.answer("r", "q", -1);
  await eventually(() => expect(warnings.join("\n")).toContain("was not taken"));
  await eventually(async () => expect((await web.get("r"))?.status).toBe("interrupted"));
  await web.answer("r", "q", 7);
  await eventually(async () => expect(await web.get("r")).toMatchObject({ output: { said: 7 } }));
});

test("nobody can answer in the name of the deadline", async () => {
  const flow = ask();
  const engine = await open({ backend: memory(), graphs: [flow] });
  const handle = await engine.start(flow, {}, { id: "r" });
  await handle.result();
  await expect(engine.answer("r", "q", "evil", { by: "timeout" })).rejects.toMatchObject({ code: "InvalidOption" });
});

class SlowPosts extends WrappedBackend {
  override async post(post: Post): Promise<PostResult> {
    const result = await super.post(post);
    await pause(40);
    return result;
  }
}

test("whose answer the watch finds before its own post is answered is told that it counts, and only they are", async () => {
  const both = graph("both", () => ({
    said: interrupt("q", {}, { answer: z.string() }),
    more: op("more", { async: true }, async () => {
      await pause(150);
      return { n: 1 };
    })().n,
  }));
  const store = memory();
  const engine = await open({ backend: new SlowPosts(store), graphs: [both], poll: 2 });
  const handle = await engine.start(both, {}, { id: "r" });
  await eventually(() => expect(handle.interrupts()).toHaveLength(1));
  const ann = handle.answer("q", "ann");
  await pause(10);
  const bob = (await open({ backend: store.another() })).answer("r", "q", "bob").then(
    () => "told that it counts",
    (error: unknown) => (error as { code: string }).code,
  );
  await ann;
  expect(["InterruptAnswered", "InterruptNotFound"]).toContain(await bob);
  expect(await handle.output()).toEqual({ said: "ann", more: 1 });
});

class Failing extends WrappedBackend {
  appends = false;
  reads = false;
  releases = false;
  claims = 0;

  override async append(append: Append): Promise<AppendResult> {
    if (this.appends) throw new Error("the disk is away");
    return super.append(append);
  }

  override async *read(runId: string, fromSeq?: number): AsyncIterable<JournalRow> {
    if (this.reads) throw new Error("the disk is away");
    yield* super.read(runId, fromSeq);
  }

  override async release(runId: string, epoch: number): Promise<void> {
    if (this.releases) throw new Error("the disk is away");
    return super.release(runId, epoch);
  }

  override claim(request: Parameters<WrappedBackend["claim"]>[0]): ReturnType<WrappedBackend["claim"]> {
    this.claims++;
    return super.claim(request);
  }
}

test("a run that fails again and again is not claimed again and again, and everything else goes on", async () => {
  const flow = ask();
  const store = memory();
  const starter = await open({ backend: store, graphs: [flow] });
  await (await starter.start(flow, {}, { id: "r" })).result();
  await starter.close();
  const backend = new Failing(store.another());
  const engine = await open({ backend, graphs: [flow], poll: 5 });
  backend.appends = true;
  const other = store.another();
  await other.open("other");
  const bytes = new TextEncoder().encode("1");
  const id = (await engine.get("r"))!.interrupts[0]!.id;
  await other.post({ runId: "r", kind: "answer", key: id, bytes, by: null, at: 1, wakes: ["interrupted"] });
  const before = (await other.get("r"))!.epoch;
  let turns = 0;
  for (const until = performance.now() + 400; performance.now() < until; turns++) await pause(1);
  expect(turns).toBeGreaterThan(20);
  expect((await other.get("r"))!.epoch - before).toBeLessThanOrEqual(2);
  backend.appends = false;
  await eventually(async () => expect(await engine.get("r")).toMatchObject({ output: { said: 1 } }));
});

test("runs that could not be read or given back for a while go on when they can be", async () => {
  const flow = graph("flow", () => ({ n: op("one", async () => ({ n: 1 }))().n }));
  const store = memory();
  const dying = await open({ backend: store, recover: false });
  const hanging = graph("flow", () => ({ n: op("one", async () => pause(60_000).then(() => ({ n: 1 })))({}).n }));
  for (const id of ["a", "b", "c"]) await dying.start(hanging, {}, { id });
  const backend = new Failing(store.another());
  const engine = await open({ backend, graphs: [flow], poll: 5 });
  backend.reads = true;
  backend.releases = true;
  await store.abandon();
  await pause(60);
  backend.reads = false;
  backend.releases = false;
  await eventually(async () => expect(await engine.list({ status: ["completed"] })).toHaveLength(3));
});

test("an answer whose schema never says anything holds nobody else up, nor the end of the engine", async () => {
  const never = graph("never", () => ({
    said: interrupt("q", {}, { answer: z.unknown().refine(() => new Promise<boolean>(() => undefined)) }),
  }));
  const other = ask();
  const store = memory();
  const engine = await open({ backend: store, graphs: [never, other], poll: 5 });
  await (await engine.start(never, {}, { id: "stuck" })).result();
  await (await engine.start(other, {}, { id: "well" })).result();
  const web = await open({ backend: store.another() });
  await web.answer("stuck", "q", 1);
  await web.answer("well", "q", 2);
  await eventually(async () => expect(await web.get("well")).toMatchObject({ output: { said: 2 } }));
  await engine.shutdown({ grace: 20 });
});

test("an owner that does not live is told that the run is elsewhere, at once", async () => {
  const flow = ask();
  const store = memory();
  const engine = await open({ backend: store, graphs: [flow], poll: "1h" });
  await (await engine.start(flow, {}, { id: "r" })).result();
  await store.abandon();
  await expect(engine.resume("r")).rejects.toMatchObject({ code: "RunElsewhere" });
});

test("at rest there is nothing to drain, and no later life of the run is drained for it", async () => {
  const flow = ask();
  const store = memory();
  const engine = await open({ backend: store, graphs: [flow], poll: 5 });
  await (await engine.start(flow, {}, { id: "r" })).result();
  const other = await open({ backend: store.another(), graphs: [flow], recover: false });
  await other.drain("r");
  await other.answer("r", "q", 3);
  await eventually(async () => expect(await engine.get("r")).toMatchObject({ output: { said: 3 } }));
});

test("an answer from afar while a run is being drained lets it go on", async () => {
  let gate = Promise.withResolvers<void>();
  const slow = op("slow", { async: true }, async () => {
    await gate.promise;
    return { n: 1 };
  });
  const flow = graph("flow", () => ({ said: interrupt("q", {}, { answer: z.number() }), n: slow().n }));
  const store = memory();
  const engine = await open({ backend: store, graphs: [flow], poll: 5 });
  const handle = await engine.start(flow, {}, { id: "r" });
  await eventually(() => expect(handle.interrupts()).toHaveLength(1));
  const drained = handle.drain();
  await (await open({ backend: store.another() })).answer("r", "q", 4);
  gate.resolve();
  await drained;
  await eventually(async () => expect(await engine.get("r")).toMatchObject({ output: { said: 4, n: 1 } }));
  gate = Promise.withResolvers<void>();
});

test("an engine with another version of the graph can answer and cancel a run that is driven elsewhere", async () => {
  const store = memory();
  const hold = op("hold", { async: true }, async (_input: {}, { signal }) => {
    await new Promise((_done, fail) => signal.addEventListener("abort", () => fail(new Error("aborted"))));
    return { n: 1 };
  });
  const old = graph("flow", () => ({ said: interrupt("q", {}, { answer: z.number() }), n: hold({}).n }));
  const young = graph("flow", (input: Ref<{ x?: number }>) => ({
    said: interrupt("q", {}, { answer: z.string() }),
    x: input.x,
  }));
  const owner = await open({ backend: store, graphs: [old], poll: 5 });
  const handle = await owner.start(old, {}, { id: "r" });
  await eventually(() => expect(handle.interrupts()).toHaveLength(1));
  const other = await open({ backend: store.another(), graphs: [young], poll: 5 });
  await other.answer("r", "q", 5);
  await eventually(() => expect(handle.interrupts()).toHaveLength(0));
  expect(await other.cancel("r")).toMatchObject({ status: "cancelled" });
});

test("an engine that is being shut down takes nothing new, and closing twice waits twice", async () => {
  const gate = Promise.withResolvers<void>();
  const slow = op("slow", { async: true }, async () => gate.promise.then(() => ({ n: 1 })));
  const flow = graph("flow", () => ({ n: slow().n }));
  const engine = await open({ backend: memory(), graphs: [flow] });
  await engine.start(flow, {}, { id: "r" });
  const down = engine.shutdown();
  await expect(engine.start(flow, {}, { id: "s" })).rejects.toMatchObject({ code: "EngineClosed" });
  gate.resolve();
  await Promise.all([down, engine.close(), engine.close()]);
  await expect(open({ backend: memory(), poll: 0 })).rejects.toMatchObject({ code: "InvalidOption" });
});
