import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  checkAgainst,
  collect,
  derive,
  each,
  graph,
  interrupt,
  loop,
  memory,
  op,
  openEngine,
  route,
  type Backend,
  type Engine,
  type Graph,
  type Handle,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { open } from "./support/engines.ts";
import { folder } from "./support/files.ts";
import { forever } from "./support/gate.ts";

type Store = ReturnType<typeof memory>;

let hangs = true;
const ran: string[] = [];
const keys: string[] = [];
const body = async ({ n }: { n: number }, ctx: { node: string; idempotencyKey: string }): Promise<{ n: number }> => {
  ran.push(ctx.node);
  if (ctx.node.endsWith("slow") || ctx.node.endsWith("late")) {
    keys.push(ctx.idempotencyKey);
    if (hangs) await forever();
  }
  return { n: n + 1 };
};
const a = op("a", body);
const b = op("b", body);
const slow = op("slow", body);
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 15));

/** A store with the run `r` of that graph, whose process died when nothing of it went on any more. */
async function stopped<I>(flow: Graph<I, unknown>, input: NoInfer<I>, store: Store = memory()): Promise<Store> {
  hangs = true;
  // In hostile mode too: what is tried begins where it has stopped, however long a hand-over takes.
  const engine = await openEngine({ backend: store, warn: () => undefined });
  (await engine.start(flow, input, { id: "r" })).result().catch(() => undefined);
  await pause();
  await engine.close();
  fresh();
  return store;
}

function fresh(): void {
  hangs = false;
  ran.length = 0;
}

async function recoveredBy(
  store: Store,
  flow: Runnable<never, unknown>,
): Promise<{ engine: Engine; handle: Handle<unknown> }> {
  const engine = await open({ backend: store.another(), graphs: [flow] });
  const [handle] = engine.recovered;
  if (handle === undefined) throw new Error("the run was not taken over");
  return { engine, handle };
}

async function refusal(store: Store, flow: Runnable<never, unknown>): Promise<Error & { code: string; hint: string }> {
  const warnings: string[] = [];
  const engine = await open({ backend: store.another(), graphs: [flow], warn: (text) => warnings.push(text) });
  expect(engine.recovered).toEqual([]);
  const error = await engine.resume("r").then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { code: string; hint: string },
  );
  if (error === undefined) throw new Error("it was not refused");
  expect(ran).toEqual([]);
  // Nobody counts that against the run, and whoever has the right code goes on with it.
  expect(await engine.list()).toMatchObject([{ id: "r", owner: null }]);
  await engine.close();
  return error;
}

async function verdict(store: Store, flow: Runnable<never, unknown>): Promise<unknown> {
  const looker = store.another();
  await looker.open("looker");
  return (await Array.fromAsync(checkAgainst(looker, [flow])))[0];
}

const before = graph("flow", (input: Ref<{ n: number }>) => ({ n: slow({ n: a({ n: input.n }).n }).n }));
type Map =
  NonNullable<Parameters<typeof graph>[1] extends infer O ? O : never> extends { migrate?: infer M } ? M : never;
const renamedA = (migrate?: Map): Graph<{ n: number }, { n: number }> =>
  graph("flow", { ...(migrate !== undefined && { migrate }) }, (input: Ref<{ n: number }>) => ({
    n: slow({ n: a({ n: input.n }, { name: "fetch" }).n }).n,
  }));
const from = before.plan.fingerprint;

test("R27 P3.7 H35 a run of an earlier version goes on under the map that the graph has, claimed by itself, and what is finished does not run again", async () => {
  const store = await stopped(before, { n: 1 });
  const now = renamedA([{ from, rename: { a: "fetch" } }]);
  expect(await verdict(store, now)).toEqual({ runId: "r", graph: "flow", status: "running", verdict: "migrates" });
  const { engine, handle } = await recoveredBy(store, now);
  expect(await handle.output()).toEqual({ n: 3 });
  expect(ran).toEqual(["slow"]);
  expect(await engine.get("r")).toMatchObject({ status: "completed", finished: { fetch: 1, slow: 1 } });
  expect((await engine.list())[0]).toMatchObject({ fingerprint: now.plan.fingerprint });
  const resumed = (await Array.fromAsync(engine.history("r"))).find(({ kind }) => kind === "resumed");
  expect(resumed).toMatchObject({ fingerprint: now.plan.fingerprint, map: { rename: { a: "fetch" } } });
});

test("R27 the same on SQLite, where engines find runs by what they hold", async () => {
  const file = join(folder(), "runs.db");
  const backend = (): Backend => sqlite(file);
  hangs = true;
  const first = await open({ backend: backend() });
  (await first.start(before, { n: 1 }, { id: "r" })).result().catch(() => undefined);
  await pause();
  await first.close();
  fresh();
  const without = await open({ backend: backend(), graphs: [renamedA()] });
  expect(without.recovered).toEqual([]);
  await without.close();
  const engine = await open({ backend: backend(), graphs: [renamedA([{ from, rename: { a: "fetch" } }])] });
  expect(await engine.recovered[0]!.output()).toEqual({ n: 3 });
  expect(ran).toEqual(["slow"]);
});

test("R27 what the map was is in the journal: the next recovery needs none, after a crash anywhere behind it", async () => {
  const store = await stopped(before, { n: 1 });
  hangs = true;
  const engine = await open({ backend: store.another(), graphs: [renamedA([{ from, rename: { a: "fetch" } }])] });
  engine.recovered[0]!.result().catch(() => undefined);
  await pause();
  await engine.close();
  fresh();
  const later = renamedA();
  expect(await verdict(store, later)).toMatchObject({ verdict: "fits" });
  const { handle } = await recoveredBy(store, later);
  expect(await handle.output()).toEqual({ n: 3 });
  expect(ran).toEqual(["slow"]);
});

test("R27 without a map the run stays where it is, and with one of another version too", async () => {
  const store = await stopped(before, { n: 1 });
  expect(await refusal(store, renamedA())).toMatchObject({ code: "FingerprintMismatch" });
  const other = `sha256:${"0".repeat(64)}`;
  expect(await refusal(store, renamedA([{ from: other }]))).toMatchObject({ code: "FingerprintMismatch" });
  const { handle } = await recoveredBy(store, before);
  expect(await handle.output()).toEqual({ n: 3 });
});

test("R27 R12 names that change places: records and idempotency keys go with the node, and no key is used for another one", async () => {
  const late = op("late", body);
  const two = graph("flow", (input: Ref<{ n: number }>) => ({
    n: slow({ n: a({ n: input.n }).n }).n,
    m: late({ n: b({ n: input.n }).n }).n,
  }));
  keys.length = 0;
  const store = await stopped(two, { n: 1 });
  const first = [...keys];
  expect(first).toHaveLength(2);
  keys.length = 0;
  const swapped = graph(
    "flow",
    { migrate: [{ from: two.plan.fingerprint, rename: { a: "b", b: "a", slow: "late", late: "slow" } }] },
    (input: Ref<{ n: number }>) => ({
      n: slow({ n: a({ n: input.n }, { name: "b" }).n }, { name: "late" }).n,
      m: late({ n: b({ n: input.n }, { name: "a" }).n }, { name: "slow" }).n,
    }),
  );
  const { handle } = await recoveredBy(store, swapped);
  expect(await handle.output()).toEqual({ n: 3, m: 3 });
  expect(ran).toEqual(["late", "slow"]);
  expect(keys).toEqual(first);
});

test("R12 a new node that takes the name of a renamed one has an idempotency key of its own", async () => {
  keys.length = 0;
  const store = await stopped(before, { n: 1 });
  const now = graph("flow", { migrate: [{ from, rename: { slow: "late" } }] }, (input: Ref<{ n: number }>) => {
    const { n } = slow({ n: a({ n: input.n }).n }, { name: "late" });
    return { n: slow({ n }).n };
  });
  const { handle } = await recoveredBy(store, now);
  expect(await handle.output()).toEqual({ n: 4 });
  expect(ran).toEqual(["late", "slow"]);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test("R27 a map that would make one node of two is refused, naming both, whether it is written there or comes of it", async () => {
  expect(() => renamedA([{ from, rename: { a: "fetch", slow: "fetch" } }])).toThrow(
    /migrate of graph flow maps both "a" and "slow" to "fetch"/,
  );
  const store = await stopped(before, { n: 1 });
  expect(await refusal(store, renamedA([{ from, rename: { a: "slow" } }]))).toMatchObject({
    code: "MigrationMismatch",
    message: expect.stringMatching(/both "a" and "slow" would become "slow"/) as string,
  });
});

test("R27 names that neither graph has are refused, with the nearest one", async () => {
  expect(() => renamedA([{ from, rename: { a: "fetsch" } }])).toThrow(
    /migrate of graph flow maps "a" to "fetsch", which the graph does not have[^]*did you mean "fetch"/,
  );
  const store = await stopped(before, { n: 1 });
  const wrong = await refusal(store, renamedA([{ from, rename: { a: "fetch" }, remove: ["slown"] }]));
  expect(wrong).toMatchObject({ code: "MigrationMismatch", hint: expect.stringContaining('"slow"') as string });
  expect(wrong.message).toContain('"slown"');
});

test.each<[string, unknown, RegExp]>([
  ["no list", { from }, /migrate of graph flow is object/],
  ["an unknown key", [{ from, renames: {} }], /"renames".*did you mean "rename"/s],
  ["no fingerprint", [{ rename: {} }], /has undefined in from/],
  ["half a fingerprint", [{ from: "sha256:12" }], /has "sha256:12" in from/],
  ["twice the same", [{ from }, { from }], /has two maps from sha256:/],
  ["a list of names", [{ from, rename: ["a"] }], /has a list in rename/],
  ["an empty name", [{ from, rename: { a: "" } }], /has "" for "a" in rename/],
  ["a text to remove", [{ from, remove: "a" }], /has string in remove/],
  ["renamed and removed", [{ from, rename: { a: "fetch" }, remove: ["a"] }], /both renames and removes "a"/],
  ["the input", [{ from, rename: { input: "fetch" } }], /renames or removes "input".*inputs/s],
  ["two keys to one", [{ from, inputs: { a: "x", b: "x" } }], /maps both "a" and "b" to "x"/],
])("R27 a map that is none fails at build: %s", (_name, migrate, message) => {
  expect(() => renamedA(migrate as Map)).toThrow(message);
});

test("R27 a map from the graph itself fails at build", () => {
  expect(() => renamedA([{ from: renamedA().plan.fingerprint }])).toThrow(/own fingerprint/);
});

test("R27 a node that is gone is refused by name until it is removed on purpose; then what it did is passed over", async () => {
  const audited = graph("flow", (input: Ref<{ n: number }>) => {
    b({ n: input.n }, { name: "audit" });
    return { n: slow({ n: a({ n: input.n }).n }).n };
  });
  const map = { from: audited.plan.fingerprint };
  const without = (remove?: string[]): typeof before =>
    graph("flow", { migrate: [{ ...map, ...(remove !== undefined && { remove }) }] }, (input: Ref<{ n: number }>) => ({
      n: slow({ n: a({ n: input.n }).n }).n,
    }));
  const store = await stopped(audited, { n: 1 });
  const error = await refusal(store, without());
  expect(error).toMatchObject({ code: "JournalMismatch", hint: expect.stringContaining("migrate") as string });
  expect(error.message).toContain('"audit"');
  expect(await verdict(store, without())).toMatchObject({
    verdict: "breaks",
    detail: expect.stringContaining("audit"),
  });
  const { engine, handle } = await recoveredBy(store, without(["audit"]));
  expect(await handle.output()).toEqual({ n: 3 });
  expect(ran).toEqual(["slow"]);
  expect((await engine.get("r"))?.status).toBe("completed");
});

test("R27 a node that became another kind, or stands in other items, is refused by name", async () => {
  const store = await stopped(before, { n: 1 });
  const stream = op("a", function* ({ n }: { n: number }) {
    yield { n };
  });
  const generator = graph("flow", { migrate: [{ from }] }, (input: Ref<{ n: number }>) => ({
    n: slow({ n: derive(collect(stream({ n: input.n }).n), (list) => list.length) }).n,
  }));
  expect((await refusal(store, generator)).message).toMatch(/"a" is a node of another kind/);
  const perItem = graph("flow", { migrate: [{ from }] }, (input: Ref<{ n: number }>) => ({
    n: collect(
      a({
        n: each(
          derive(input.n, (n) => [n]),
          { name: "ns" },
        ),
      }).n,
    ),
    m: slow({ n: input.n }).n,
  }));
  expect((await refusal(store, perItem)).message).toMatch(/"a" at 0 is in other items or iterations/);
});

test("R27 keys of the input are renamed, and two that would be one are refused", async () => {
  const store = await stopped(before, { n: 1 });
  const other = (inputs: Record<string, string>): Graph<{ count: number }, unknown> =>
    graph("flow", { migrate: [{ from, inputs }] }, (input: Ref<{ count: number }>) => {
      const { n } = slow({ n: a({ n: input.count }).n });
      return { n: b({ n }).n, was: input.count };
    });
  const { handle } = await recoveredBy(store, other({ n: "count" }));
  expect(await handle.output()).toEqual({ n: 4, was: 1 });
  const pair = graph("pair", (input: Ref<{ x: number; y: number }>) => ({ n: slow({ n: input.x }).n, y: input.y }));
  const second = await stopped(pair, { x: 1, y: 2 });
  const same = graph(
    "pair",
    { migrate: [{ from: pair.plan.fingerprint, inputs: { x: "y" } }] },
    (input: Ref<{ y: number }>) => {
      const { n } = slow({ n: input.y });
      return { n: b({ n }).n };
    },
  );
  expect((await refusal(second, same)).message).toMatch(/two keys of its input would become "y"/);
});

const answer = z.object({ ok: z.boolean() });
test("R27 H62 a run that is parked at a question goes on under its new name, by the id it had, answered from anywhere", async () => {
  const asks = graph("asks", (input: Ref<{ n: number }>) => ({
    n: a({ n: input.n }).n,
    ok: interrupt("approve", {}, { answer }).ok,
  }));
  const now = graph(
    "asks",
    { migrate: [{ from: asks.plan.fingerprint, rename: { approve: "review" } }] },
    (input: Ref<{ n: number }>) => {
      const { ok } = interrupt("review", {}, { answer });
      return { n: a({ n: input.n }).n, ok, more: b({ n: input.n }, { after: [ok] }).n };
    },
  );
  for (const where of ["here", "elsewhere"] as const) {
    const store = await stopped(asks, { n: 1 });
    const engine = await open({ backend: store.another(), graphs: [now], poll: 10 });
    const [question] = (await engine.get("r"))!.interrupts;
    expect(question).toMatchObject({ node: "approve" });
    const { id } = question!;
    if (where === "here") await engine.answer("r", "review", { ok: true }, { by: "ann" });
    else {
      // Whoever has no graph leaves the answer under the id.
      const outside = await open({ backend: store.another() });
      await outside.answer("r", "approve", { ok: true }, { by: "ann" });
    }
    for (let i = 0; i < 200 && (await engine.get("r"))?.status !== "completed"; i++) await pause();
    const info = await engine.get("r");
    expect(info).toMatchObject({ status: "completed", output: { n: 2, ok: true, more: 2 } });
    expect(info?.answered).toMatchObject([{ id, node: "review", by: "ann" }]);
  }
});

test("R27 a question that is asked after the change has one id, for whoever reads the journal and whoever drives the run", async () => {
  const asks = graph("asks", (input: Ref<{ n: number }>) => {
    const { n } = slow({ n: input.n });
    return { ok: interrupt("approve", { n }, { answer }).ok };
  });
  const now = graph(
    "asks",
    { migrate: [{ from: asks.plan.fingerprint, rename: { approve: "review" } }] },
    (input: Ref<{ n: number }>) => {
      const { n } = slow({ n: input.n });
      return { ok: interrupt("review", { n }, { answer }).ok };
    },
  );
  const store = await stopped(asks, { n: 1 });
  const { engine, handle } = await recoveredBy(store, now);
  await handle.result();
  const [live] = handle.interrupts();
  expect((await engine.get("r"))?.interrupts).toMatchObject([{ id: live!.id, node: "review" }]);
  await engine.answer("r", live!.id, { ok: true });
  expect(await handle.output()).toEqual({ ok: true });
});

test("R27 nodes in a loop, in items and in a subgraph are renamed with what is around them", async () => {
  const inner = graph("inner", (input: Ref<{ n: number }>) => ({ n: slow({ n: a({ n: input.n }).n }).n }));
  const make = (names: { turns: string; part: string; migrate?: Map }): Graph<{ xs: number[] }, unknown> =>
    graph(
      "flow",
      { ...(names.migrate !== undefined && { migrate: names.migrate }) },
      (input: Ref<{ xs: number[] }>) => {
        const item = b({ n: each(input.xs) }, { name: `${names.part}s` });
        const rounds = loop(names.turns, { max: 4 }, { n: 0 }, (state) => {
          const { n } = inner({ n: state.n }, { name: names.part });
          return { next: { n }, until: derive(n, (reached) => reached > 3), result: { n } };
        });
        return { all: collect(item.n), n: rounds.n };
      },
    );
  keys.length = 0;
  const old = make({ turns: "turns", part: "part" });
  const store = await stopped(old, { xs: [1, 2] });
  const rename = { turns: "rounds", "turns/part": "rounds/step", parts: "steps" };
  const now = make({ turns: "rounds", part: "step", migrate: [{ from: old.plan.fingerprint, rename }] });
  const { engine, handle } = await recoveredBy(store, now);
  await handle.result();
  expect(keys[1]).toBe(keys[0]);
  expect(ran[0]).toBe("rounds/step/slow");
  expect((await engine.get("r"))?.finished).toMatchObject({ steps: 2, "rounds/step/a": 2, "rounds/step/slow": 2 });
});

test("R27 H30 arms that stand in another order, or have another name: the one that was taken is taken", async () => {
  const kind = op("kind", async () => ({ is: "yes" as "yes" | "no" }));
  const old = graph("flow", (_input: Ref<{}>) => {
    const { is } = kind({});
    return { n: route("check", is, { yes: () => ({ n: slow({ n: 1 }).n }), no: () => ({ n: a({ n: 10 }).n }) }).n };
  });
  const now = graph("flow", { migrate: [{ from: old.plan.fingerprint }] }, (_input: Ref<{}>) => {
    const { is } = kind({});
    return { n: route("check", is, { no: () => ({ n: a({ n: 10 }).n }), yes: () => ({ n: slow({ n: 1 }).n }) }).n };
  });
  const store = await stopped(old, {});
  const { handle } = await recoveredBy(store, now);
  expect(await handle.output()).toEqual({ n: 2 });
  expect(ran).toEqual(["check/yes/slow"]);
});

test("R27 a second map on top of the first: records of all three versions are read, with the last code alone", async () => {
  const second = graph("flow", { migrate: [{ from, rename: { a: "fetch" } }] }, (input: Ref<{ n: number }>) => {
    const { n } = slow({ n: a({ n: input.n }, { name: "fetch" }).n });
    return { n: slow({ n: b({ n }).n }, { name: "late" }).n };
  });
  const other = await stopped(before, { n: 1 });
  hangs = true;
  const again = await open({ backend: other.another(), graphs: [second] });
  again.recovered[0]!.result().catch(() => undefined);
  await pause();
  await again.close();
  fresh();
  const third = graph(
    "flow",
    { migrate: [{ from: second.plan.fingerprint, rename: { fetch: "load", slow: "think" } }] },
    (input: Ref<{ n: number }>) => {
      const { n } = slow({ n: a({ n: input.n }, { name: "load" }).n }, { name: "think" });
      return { n: slow({ n: b({ n }).n }, { name: "late" }).n };
    },
  );
  const { engine: last, handle } = await recoveredBy(other, third);
  expect(await handle.output()).toEqual({ n: 5 });
  expect(await last.get("r")).toMatchObject({ finished: { load: 1, think: 1, b: 1, late: 1 } });
});

test("R27 R12 behind a snapshot of the new version, keys are those of the old one, and items of the old one are found", async () => {
  let stopAt = 2;
  const rows = op("rows", async function* (_input: {}) {
    for (let n = 0; n < 6; n++) {
      if (n === stopAt) await forever();
      yield { n };
    }
  });
  const old = graph("flow", (_input: Ref<{}>) => ({ all: collect(a({ n: rows({}).n }).n), n: slow({ n: 1 }).n }));
  const now = graph(
    "flow",
    { migrate: [{ from: old.plan.fingerprint, rename: { rows: "lines", slow: "late" } }] },
    (_input: Ref<{}>) => {
      const extra = b({ n: 1 }, { name: "extra" });
      const lines = rows({}, { name: "lines" });
      return { all: collect(a({ n: lines.n }).n), n: slow({ n: 1 }, { name: "late" }).n, extra: extra.n };
    },
  );
  keys.length = 0;
  const store = await stopped(old, {});
  hangs = true;
  stopAt = 4;
  const engine = await open({ backend: store.another(), graphs: [now], snapshots: { after: 1, share: 1_000 } });
  engine.recovered[0]!.result().catch(() => undefined);
  await pause();
  await engine.close();
  fresh();
  stopAt = -1;
  const looker = store.another();
  await looker.open("looker");
  expect((await looker.get("r"))?.snapshotSeq).toBeGreaterThan(0);
  const { handle } = await recoveredBy(store, now);
  expect(await handle.output()).toEqual({ all: [1, 2, 3, 4, 5, 6], n: 2, extra: 2 });
  expect(new Set(keys).size).toBe(1);
  expect(keys).toHaveLength(3);
});

test("R27 a run that went to another version and back is read as what it is", async () => {
  const there = renamedA([{ from, rename: { a: "fetch" } }]);
  const store = await stopped(before, { n: 1 });
  hangs = true;
  const engine = await open({ backend: store.another(), graphs: [there] });
  engine.recovered[0]!.result().catch(() => undefined);
  await pause();
  await engine.close();
  fresh();
  const back = graph(
    "flow",
    { migrate: [{ from: there.plan.fingerprint, rename: { fetch: "a" } }] },
    (input: Ref<{ n: number }>) => ({ n: slow({ n: a({ n: input.n }).n }).n }),
  );
  expect(back.plan.fingerprint).toBe(from);
  hangs = true;
  const homecoming = await open({ backend: store.another(), graphs: [back] });
  homecoming.recovered[0]!.result().catch(() => undefined);
  await pause();
  await homecoming.close();
  fresh();
  const { handle } = await recoveredBy(store, before);
  expect(await handle.output()).toEqual({ n: 3 });
  expect(ran).toEqual(["slow"]);
});

test("R15 R27 a fork across a map, from before it and from behind it", async () => {
  const store = await stopped(before, { n: 1 });
  const now = renamedA([{ from, rename: { a: "fetch" } }]);
  const looker = await open({ backend: store.another(), graphs: [now], recover: false });
  const early = await looker.fork("r", { id: "early" });
  expect(await early.output()).toEqual({ n: 3 });
  expect(ran).toEqual(["slow"]);
  const { engine, handle } = await recoveredBy(store, now);
  await handle.result();
  ran.length = 0;
  const fork = await engine.fork("r", { at: 2, id: "late", patch: { outputs: { fetch: { n: 7 } } } });
  expect(await fork.output()).toEqual({ n: 8 });
  expect(ran).toEqual(["slow"]);
  expect((await engine.stateAt("r", 2)).outputs).toEqual({ "flow/fetch": { n: 2 } });
});

test("R27 H49 a node whose unsafe body had begun is not taken out under it", async () => {
  const charge = op("charge", { effect: "unsafe" }, body);
  const lasting = op("lasting", body);
  const pay = graph("pay", (input: Ref<{ n: number }>) => {
    charge({ n: input.n }, { name: "slow" });
    return { n: lasting({ n: input.n }, { name: "late" }).n };
  });
  const without = graph(
    "pay",
    { migrate: [{ from: pay.plan.fingerprint, remove: ["slow"] }] },
    (input: Ref<{ n: number }>) => ({ n: lasting({ n: input.n }, { name: "late" }).n }),
  );
  const store = await stopped(pay, { n: 1 });
  const error = await refusal(store, without);
  expect(error).toMatchObject({
    code: "MigrationMismatch",
    message: expect.stringContaining('removes "slow"') as string,
  });
});

test("R27 P3.5 items that a generator had yielded are found under its new name, and under a new number", async () => {
  let cut = true;
  const yielded: number[] = [];
  const rows = op("rows", async function* (_input: {}) {
    for (let n = 0; n < 4; n++) {
      if (cut && n === 2) await forever();
      yielded.push(n);
      yield { n };
    }
  });
  const old = graph("flow", (_input: Ref<{}>) => ({ all: collect(a({ n: rows({}).n }).n) }));
  const now = graph(
    "flow",
    { migrate: [{ from: old.plan.fingerprint, rename: { rows: "lines" } }] },
    (_input: Ref<{}>) => {
      const extra = b({ n: 1 }, { name: "extra" });
      return { all: collect(a({ n: rows({}, { name: "lines" }).n }).n), extra: extra.n };
    },
  );
  const store = await stopped(old, {});
  cut = false;
  const { handle } = await recoveredBy(store, now);
  expect(await handle.output()).toEqual({ all: [1, 2, 3, 4], extra: 2 });
  expect(ran.filter((node) => node === "a")).toHaveLength(2);
});
