import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  graph,
  interrupt,
  loop,
  memory,
  onEnd,
  op,
  openEngine,
  reduce,
  type Backend,
  type EngineOptions,
  type Ref,
} from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { freeAmong, JournalSize } from "../../src/journal/size.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { openContexts } from "../../src/state/walk.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";
import { open, resumedOn } from "./support/engines.ts";
import { crashedBehind, recordingOf, rowsOf } from "./support/journal.ts";

const one = op("one", ({ n }: { n: number }) => ({ n: n + 1 }));

const done = op("done", ({ n, to }: { n: number; to: number }) => ({ done: n >= to }));

/** Three records per iteration: what its ops gave, and whether it goes on. */
const counting = graph("counting", (input: Ref<{ to: number }>) => {
  const { n } = loop("turns", { max: 100_000 }, { n: 0, to: input.to }, ({ n, to }) => {
    const next = one({ n });
    return { next: { n: next.n, to }, until: done({ n: next.n, to }).done, result: { n: next.n } };
  });
  return { n };
});
const schemaOfTrue = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as boolean }) },
} as const;

async function warningsOf(
  options: EngineOptions,
  play: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<unknown>,
): Promise<string[]> {
  const warnings: string[] = [];
  const engine = await openEngine({ ...options, warn: (text) => warnings.push(text) });
  try {
    await play(engine);
  } finally {
    await engine.close();
  }
  return warnings;
}

/** Handles of one store, one after the other. */
const stores: [string, () => () => Backend][] = [
  [
    "memory",
    () => {
      let last = memory();
      return () => (last = last.another());
    },
  ],
  [
    "SQLite",
    () => {
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      return () => sqlite(join(folder.path, "runs.db"), { synchronous: "off" });
    },
  ],
];

describe.each(stores)("on %s", (_name, store) => {
  test("H24 a run that reaches the limit fails with an error that names the limit, the run and the fix, and its journal is whole", async () => {
    const backend = store()();
    const engine = await open({ backend, graphs: [counting], journalLimits: { maxRecords: 50 } });
    const handle = await engine.start(counting, { to: 1_000 }, { id: "long" });
    await expect(handle.output()).rejects.toMatchObject({
      code: "JournalLimit",
      message: expect.stringMatching(/run long of "counting".*50 records.*journalLimits\.maxRecords/) as string,
      hint: expect.stringMatching(/several runs.*raise/) as string,
    });
    const info = await engine.get("long");
    expect(info).toMatchObject({ status: "failed", errors: [{ node: "counting", code: "JournalLimit" }] });
    expect(info?.lastSeq).toBe(52);
    const kinds: string[] = [];
    for await (const { kind } of engine.history("long")) kinds.push(kind);
    expect(kinds.slice(-2)).toEqual(["stopped", "ended"]);
    const fork = await engine.fork("long", { at: 20 });
    expect((await fork.result()).status).toBe("failed");
  });

  test("H24 it is warned of once, with the limit at which it fails", async () => {
    const backend = store()();
    const limits = { warnRecords: 20, maxRecords: 2_000 };
    const warnings = await warningsOf({ backend, journalLimits: limits }, (engine) =>
      engine.run(counting, { to: 100 }, { id: "warned" }),
    );
    expect(warnings).toEqual([
      'millrace: the journal of run warned of "counting" has 20 records, and the run fails at 2,000 records or 1,000,000,000 bytes (journalLimits.warnRecords)',
    ]);
  });

  test("H24 a run's own limits are the engine's but for those that it names, and go with it to the engine that goes on with it", async () => {
    const next = store();
    const limits = { journalLimits: { maxRecords: 10 } };
    const asking = graph("asking", (input: Ref<{ to: number }>) => {
      const { n } = counting({ to: input.to });
      const ok = interrupt("ok", { n }, { answer: schemaOfTrue });
      return { n, late: one({ n: 1 }, { after: [ok] }).n };
    });
    const first = await open({ backend: next(), ...limits, graphs: [asking] });
    const handle = await first.start(asking, { to: 20 }, { id: "own", journalLimits: { maxRecords: Infinity } });
    expect((await handle.result()).status).toBe("interrupted");
    await first.close();
    const second = await open({ backend: next(), ...limits, graphs: [asking] });
    const answered = await second.answer("own", "ok", true);
    expect(await answered.output()).toMatchObject({ n: 20 });
    const third = await open({ backend: next(), ...limits });
    await expect(third.run(counting, { to: 20 }, { id: "engine" })).rejects.toMatchObject({ code: "JournalLimit" });
  });
});

test("H24 by default it warns at 100,000 records, which an engine without a backend does not have", async () => {
  const warnings = await warningsOf({ backend: memory() }, (engine) => engine.run(counting, { to: 50_100 }));
  expect(warnings).toEqual([expect.stringMatching(/has 100,000 records, and the run fails at 1,000,000 records/)]);
});

test("H24 bytes count as well, in UTF-8, and both limits can be switched off", async () => {
  const text = op("text", ({ n }: { n: number }) => ({ n: n + 1, text: "§".repeat(1_000) }));
  const wordy = graph("wordy", (input: Ref<{ n: number }>) => {
    const { n } = loop("turns", { max: 40, onLimit: "exit" }, { n: input.n }, ({ n }) => {
      const said = text({ n });
      return { next: { n: said.n }, until: done({ n: said.n, to: 1_000 }).done, result: { n: said.n } };
    });
    return { n };
  });
  const backend = memory();
  const engine = await open({ backend, journalLimits: { maxBytes: 20_000 } });
  const result = await (await engine.start(wordy, { n: 0 }, { id: "wordy" })).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "JournalLimit" }] });
  expect(result.errors[0]?.message).toMatch(/[\d,]+ bytes, and may have no more \(journalLimits\.maxBytes\)/);
  const { journalBytes = 0 } = (await engine.get("wordy")) ?? {};
  expect(journalBytes).toBeGreaterThan(20_000);
  expect(journalBytes).toBeLessThan(45_000);
  const off = { warnRecords: Infinity, warnBytes: Infinity, maxRecords: Infinity, maxBytes: Infinity };
  const warnings = await warningsOf({ backend: memory(), journalLimits: { maxBytes: 1_000 } }, (other) =>
    other.run(wordy, { n: 0 }, { journalLimits: off }),
  );
  expect(warnings).toEqual([]);
});

test("H24 wherever it crashes, a run ends at the same record, and is counted anew from its journal", async () => {
  const limits = { maxRecords: 30 };
  const backend = memory();
  const engine = await open({ backend });
  await engine.run(counting, { to: 40 }, { id: "run" });
  const recording = await recordingOf(backend, "run");
  for (let cut = 1; cut < 40; cut++) {
    // A decision stands in one row with what made it.
    if (recording.records[cut]?.[0] === 10) continue;
    const dead = await crashedBehind(recording, cut);
    const result = await resumedOn(dead, counting, { journalLimits: limits });
    expect(result).toMatchObject({ status: "failed", errors: [{ code: "JournalLimit" }] });
    const reader = dead.another();
    await reader.open("reader");
    const after = await recordingOf(reader, "run");
    await reader.close();
    const stopped = after.records.findIndex(([kind]) => kind === 22);
    // Behind the record that reached the limit and what its step decided, or behind that of the new owner.
    expect(stopped - Math.max(30, cut + 1)).toBeOneOf([0, 1]);
    expect(after.records.at(-1)).toMatchObject([9, { status: "failed", errors: [{ code: "JournalLimit" }] }]);
  }
});

test("H24 a crash behind the record that stopped it changes nothing: finalizers run, and the run ends as it was to", async () => {
  const closed: string[] = [];
  const close = op("close", ({ status }: { status: string }) => {
    closed.push(status);
    return {};
  });
  const tidy = graph("tidy", (input: Ref<{ to: number }>) => {
    onEnd("tidyUp", ({ status }) => void close({ status }));
    return { n: counting({ to: input.to }).n };
  });
  const backend = memory();
  const engine = await open({ backend, journalLimits: { maxRecords: 12 } });
  const handle = await engine.start(tidy, { to: 40 }, { id: "run" });
  expect((await handle.result()).status).toBe("failed");
  expect(closed).toEqual(["failed"]);
  const recording = await recordingOf(backend, "run");
  const stopped = recording.records.findIndex(([kind]) => kind === 22);
  const dead = await crashedBehind(recording, stopped + 1);
  expect(await resumedOn(dead, tidy)).toMatchObject({ status: "failed", errors: [{ code: "JournalLimit" }] });
  expect(closed).toEqual(["failed", "failed"]);
});

test("H24 a resumed run is warned of again by its new process, and once only, however often it is put aside there", async () => {
  const asking = graph("asking", (input: Ref<{ to: number }>) => {
    const { n } = counting({ to: input.to });
    const first = interrupt("first", { n }, { answer: schemaOfTrue });
    const second = interrupt("second", { n }, { answer: schemaOfTrue, after: [first] });
    return { n: one({ n }, { after: [second] }).n };
  });
  const options = { graphs: [asking], journalLimits: { warnRecords: 10 } };
  const backend = memory();
  const before = await warningsOf({ ...options, backend }, async (engine) => {
    const handle = await engine.start(asking, { to: 20 }, { id: "run" });
    await handle.result();
    await (await engine.answer("run", "first", true)).result();
  });
  const after = await warningsOf({ ...options, backend: backend.another() }, async (engine) => {
    await (await engine.answer("run", "second", true)).result();
  });
  expect([before.length, after.length]).toEqual([1, 1]);
});

test("H24 H59 what a transient stream yields does not count, before a crash and after it", async () => {
  const tokens = op("tokens", { transient: true }, async function* ({ count }: { count: number }) {
    for (let i = 0; i < count; i++) yield { text: `tok"en\\[${i},{§` };
  });
  const told = op("told", ({ size }: { size: number }) => ({ size }));
  const streaming = graph("streaming", (input: Ref<{ count: number }>) => ({
    size: told({ size: reduce("size", tokens({ count: input.count }).text, 0, (n, text) => n + text.length) }).size,
  }));
  const backend = memory();
  const engine = await open({ backend, journalLimits: { maxRecords: 10, maxBytes: 5_000 } });
  await engine.run(streaming, { count: 2_000 }, { id: "run" });
  const recording = await recordingOf(backend, "run");
  expect(recording.records.length).toBeGreaterThan(2_000);
  const dead = await crashedBehind(recording, 1_500);
  expect(await resumedOn(dead, streaming, { journalLimits: { maxRecords: 10, maxBytes: 5_000 } })).toMatchObject({
    status: "completed",
  });
  // S1: to the byte.
  const sizes = await Promise.all(
    (await rowsOf(backend, "run")).map(async (row) => {
      const size = new JournalSize();
      const texts = (JSON.parse(new TextDecoder().decode(row.bytes)) as unknown[]).map((record) =>
        JSON.stringify(record),
      );
      size.add(row, freeAmong(planOf(streaming), texts));
      const counted = texts.filter((text) => !text.startsWith("[2,"));
      return [size.bytes - new TextEncoder().encode(counted.join("")).length, size.records - counted.length];
    }),
  );
  // Commas and brackets.
  for (const [bytes = 99, records] of sizes) expect([bytes >= 0 && bytes <= 8, records]).toEqual([true, 0]);
});

test("H24 the replay of 50,000 iterations takes each record once, and leaves a state that is no larger than that of ten", async () => {
  const stop = memory();
  const engine = await open({ backend: stop });
  await engine.run(counting, { to: 50_000 }, { id: "run" });
  const recording = await recordingOf(stop, "run");
  const dead = await crashedBehind(recording, recording.records.length - 6);
  let steps = 0;
  let widest = 0;
  const next = await open({
    backend: dead,
    graphs: [counting],
    check: (run) => {
      steps++;
      if (steps % 1_000 === 0) widest = Math.max(widest, [...openContexts(run.root)].length);
    },
  });
  expect(await next.recovered[0]?.output()).toEqual({ n: 50_000 });
  const decisions = recording.records.filter(([kind]) => kind === 10).length;
  expect(steps).toBeLessThanOrEqual(recording.records.length - decisions + 3);
  expect(widest).toBeLessThanOrEqual(3);
});

test.each([
  [
    { maxRecords: 0 },
    /journalLimits\.maxRecords must be a whole number of at least 1, or Infinity for no limit, not 0/,
  ],
  [{ maxBytes: 1.5 }, /journalLimits\.maxBytes.*1\.5/],
  [{ warnBytes: -Infinity }, /journalLimits\.warnBytes.*-Infinity/],
  [{ warnRecords: NaN }, /journalLimits\.warnRecords.*NaN/],
  [{ maxRecords: "many" as never }, /journalLimits\.maxRecords.*"many"/],
  [{ records: 5 } as never, /no journalLimits option "records".*known options: warnRecords/s],
  [7 as never, /journalLimits options must be an object, not 7/],
])("H24 wrong limits are refused: %j", async (journalLimits, message) => {
  await expect(openEngine({ backend: memory(), journalLimits })).rejects.toThrow(message);
  const engine = await open({ backend: memory() });
  await expect(engine.start(counting, { to: 1 }, { journalLimits })).rejects.toThrow(message);
});

test("H24 limits need a journal", async () => {
  await expect(openEngine({ journalLimits: { maxRecords: 5 } })).rejects.toMatchObject({ code: "NoBackend" });
  const engine = await open();
  await expect(engine.start(counting, { to: 1 }, { journalLimits: {} })).rejects.toMatchObject({ code: "NoBackend" });
});

test("I11 the record that is one too many may be that of a start: nothing begins over it, and no timer is left", async () => {
  const hour = 3_600_000;
  const began: string[] = [];
  const body = async ({ n }: { n: number }, { node }: { readonly node: string }): Promise<{ n: number }> => {
    began.push(node);
    return { n };
  };
  const total = op("total", { timeout: { total: hour } }, body);
  const unsafe = op("unsafe", { effect: "unsafe", timeout: { run: hour } }, body);
  const tidyNow = op("tidyNow", () => ({ ok: true }));
  const tidyLater = op("tidyLater", async () => ({ ok: true }));
  for (const [limited, tidy] of [total, unsafe].flatMap((op) =>
    [tidyNow, tidyLater].map((tidy) => [op, tidy] as const),
  )) {
    const flow = graph("flow", (input: Ref<{ n: number }>) => {
      onEnd("tidied", () => tidy({}));
      return { n: limited({ n: input.n }).n };
    });
    const timers = new Set<number>();
    let last = 0;
    const clock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      timer: (ms: number, callback: () => void) => {
        const id = ++last;
        // That of a body, and the time that one which is not wanted any more gets.
        if (ms > hour / 2 || ms === 5_000) timers.add(id);
        const timeout = setTimeout(callback, ms);
        return () => {
          timers.delete(id);
          clearTimeout(timeout);
        };
      },
      defer: setImmediate,
    };
    const engine = await open({ backend: memory(), clock, journalLimits: { maxRecords: 2 } });
    const handle = await engine.start(flow, { n: 1 });
    expect(await handle.result()).toMatchObject({ status: "failed", errors: [{ code: "JournalLimit" }] });
    expect(timers.size).toBe(0);
  }
  expect(began).toEqual([]);
});
