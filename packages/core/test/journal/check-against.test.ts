import { expect, test } from "vitest";
import { z } from "zod";
import {
  checkAgainst,
  derive,
  graph,
  interrupt,
  memory,
  op,
  openEngine,
  type Backend,
  type Runnable,
  type RunVerdict,
} from "../../src/index.ts";

const answer = z.object({ ok: z.boolean() });
let ran = 0;
const first = op("first", async () => {
  ran += 1;
  return { n: 1 };
});
const asks = graph("asks", () => ({ n: first({}).n, ok: interrupt("ask", {}, { answer }).ok }));

async function parked(graph: Runnable<void, unknown> = asks, id = "run"): Promise<Backend> {
  const store = memory();
  const engine = await openEngine({ backend: store });
  await (await engine.start(graph, undefined, { id })).result();
  await engine.close();
  const backend = store.another();
  await backend.open("looker");
  return backend;
}

async function verdicts(backend: Backend, graphs: readonly Runnable<never, unknown>[]): Promise<RunVerdict[]> {
  const before = await backend.get("run");
  const found = await Array.fromAsync(checkAgainst(backend, graphs));
  expect(await backend.get("run")).toEqual(before);
  return found;
}

test("the code that a run was started with fits, and no body runs", async () => {
  const backend = await parked();
  const before = ran;
  expect(await verdicts(backend, [asks])).toEqual([
    { runId: "run", graph: "asks", status: "interrupted", verdict: "fits" },
  ]);
  expect(ran).toBe(before);
});

test("a run of a graph that is not there is said to be unknown; one that ended is not looked at", async () => {
  const backend = await parked();
  expect(await verdicts(backend, [])).toMatchObject([{ runId: "run", verdict: "unknown" }]);
  const done = memory();
  const engine = await openEngine({ backend: done });
  await engine.run(
    graph("quick", () => ({ n: first({}).n })),
    undefined,
    { id: "run" },
  );
  await engine.close();
  const looker = done.another();
  await looker.open("looker");
  expect(await verdicts(looker, [])).toEqual([]);
});

test("a changed graph is refused with the names of what is gone and what is new, and whether allowing it would help", async () => {
  const backend = await parked();
  const more = op("more", async () => ({ m: 1 }));
  const added = graph("asks", () => ({ n: first({}).n, m: more({}).m, ok: interrupt("ask", {}, { answer }).ok }));
  expect(await verdicts(backend, [added])).toMatchObject([
    { verdict: "changed", code: "FingerprintMismatch", gone: [], added: ["more"] },
  ]);
  expect((await verdicts(backend, [added]))[0]).not.toHaveProperty("refusal");
  const gone = graph("asks", () => ({ m: more({}).m, ok: interrupt("ask", {}, { answer }).ok }));
  expect(await verdicts(backend, [gone])).toMatchObject([
    { verdict: "changed", gone: ["first"], added: ["more"], refusal: expect.stringContaining('"first"') as string },
  ]);
});

test("a journal that does not fit although the fingerprint does is told with what does not fit", async () => {
  let long = true;
  const impure = graph("asks", () => {
    const n = first({}).n;
    const when = derive(n, () => long);
    return {
      ok: interrupt(
        "ask",
        {},
        { answer, after: [derive(when, (yes) => (yes ? 1 : Promise.reject(new Error("no")))) as never] },
      ).ok,
    };
  });
  const backend = await parked(impure);
  long = false;
  const [verdict] = await verdicts(backend, [impure]);
  expect(verdict).toMatchObject({ runId: "run", verdict: "breaks", code: expect.any(String) as string });
  long = true;
  expect(await verdicts(backend, [impure])).toMatchObject([{ verdict: "fits" }]);
});

test("a run that goes on elsewhere is looked at as it stood", async () => {
  const store = memory();
  const engine = await openEngine({ backend: store });
  const slow = op("slow", async () => new Promise<{ n: number }>(() => undefined));
  const busy = graph("busy", () => ({ n: slow({}).n, ok: interrupt("ask", {}, { answer }).ok }));
  await engine.start(busy, undefined, { id: "run" });
  const looker = store.another();
  await looker.open("looker");
  expect(await verdicts(looker, [busy])).toMatchObject([{ status: "running", verdict: "fits" }]);
  await engine.close();
});

test("H24 all records are replayed, and not only those behind a snapshot", async () => {
  const store = memory();
  const engine = await openEngine({ backend: store, snapshots: { after: 1, share: Infinity } });
  await (await engine.start(asks, undefined, { id: "run" })).result();
  await engine.close();
  const backend = store.another();
  await backend.open("looker");
  expect((await backend.get("run"))?.snapshotSeq).toBeGreaterThan(1);
  const froms: number[] = [];
  const watched: Backend = Object.assign(Object.create(backend) as Backend, {
    name: "watched",
    list: backend.list.bind(backend),
    get: backend.get.bind(backend),
    getBlob: backend.getBlob.bind(backend),
    carried: backend.carried.bind(backend),
    read: (runId: string, from = 1) => (froms.push(from), backend.read(runId, from)),
  });
  expect(await verdicts(watched, [asks])).toMatchObject([{ verdict: "fits" }]);
  expect(froms).toContain(1);
});
