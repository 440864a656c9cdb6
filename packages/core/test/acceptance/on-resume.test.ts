/** What becomes of generators whose run goes on in another process: `onResume`. */
import { describe, expect, test } from "vitest";
import { collect, fallback, final, graph, memory, op, reduce, type OpCtx, type Ref } from "../../src/index.ts";
import { RecordKind } from "../../src/events/record.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { eventually, forever } from "./support/gate.ts";

let begun: { readonly at: number; readonly last: unknown }[] = [];
let yielded: number[] = [];

function note({ resumeFrom }: Pick<OpCtx, "resumeFrom">): number {
  begun.push({ at: resumeFrom?.count ?? 0, last: resumeFrom?.last });
  return resumeFrom?.count ?? 0;
}

const rows = op("rows", { onResume: "cursor" }, async function* ({ n }: { n: number }, ctx) {
  const from = note(ctx);
  for (let k = from; k < n; k++) {
    yielded.push(k);
    yield { k, text: `row ${k}` };
  }
  return { all: n };
});
const table = graph("table", (input: Ref<{ n: number }>) => {
  const row = rows({ n: input.n });
  return {
    texts: collect(row.text),
    sum: reduce("sum", row.k, 0, (sum, k) => sum + k),
    all: final(row).all,
  };
});
const expected = { texts: ["row 0", "row 1", "row 2", "row 3"], sum: 6, all: 4 };

describe('onResume: "cursor"', () => {
  test("R11 H37 H38 over a crash behind any record no recorded item is yielded again, and the output is the same", async () => {
    begun = [];
    const whole = await crashEverywhere(table, { n: 4 }, ({ cut, recording, result }) => {
      const recorded = recording.records.slice(0, cut).filter(([kind]) => kind === RecordKind.frame).length;
      expect(result, `crashed behind record ${cut}`).toMatchObject({ status: "completed", output: expected });
      const [again] = begun.slice(-1);
      if (recording.records.slice(0, cut).some(([kind]) => kind === RecordKind.eof)) return;
      const last = recorded === 0 ? undefined : { k: recorded - 1, text: `row ${recorded - 1}` };
      expect(again, `behind record ${cut}`).toEqual({ at: recorded, last });
      expect(Object.isFrozen(again?.last ?? Object.freeze({}))).toBe(true);
    });
    expect(whole.result).toMatchObject({ output: expected });
    expect(begun[0]).toEqual({ at: 0, last: undefined });
  });

  test("R09 after a drain it goes on behind what it had yielded", async () => {
    begun = [];
    yielded = [];
    const store = memory();
    const slow = op("slow", async ({ k }: { k: number }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { k };
    });
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({
      ks: collect(slow({ k: rows({ n: input.n }).k }, { parallel: 1, buffer: 1 }).k),
    }));
    const engine = await open({ backend: store, graphs: [flow] });
    const handle = await engine.start(flow, { n: 6 }, { id: "r" });
    await eventually("two items", () => yielded.length >= 2);
    await handle.drain();
    const resumed = await engine.resume("r");
    expect(await resumed.output()).toEqual({ ks: [0, 1, 2, 3, 4, 5] });
    expect(yielded).toEqual([0, 1, 2, 3, 4, 5]);
    expect(begun).toHaveLength(2);
  });

  test("ctx.resumeFrom is undefined in all other bodies, and in the stand-in of fn", async () => {
    const seen: unknown[] = [];
    const plain = op("plain", (_: {}, ctx) => {
      seen.push(ctx.resumeFrom);
      return {};
    });
    await (await open()).run(plain, {});
    await plain.fn({});
    expect(seen).toEqual([undefined, undefined]);
    const items: unknown[] = [];
    for await (const { k } of rows.fn({ n: 4 }, { resumeFrom: { count: 2, last: { k: 1 } } })) items.push(k);
    expect(items).toEqual([2, 3]);
  });
});

describe('onResume: "fail"', () => {
  let at = 0;
  const once = op("once", { onResume: "fail" }, async function* () {
    for (let k = 0; k < 3; k++) {
      if (k === at) await forever();
      yield { k };
    }
  });
  const flow = graph("flow", () => {
    const safe = fallback(
      "safe",
      () => ({ said: collect(once({}).k) }),
      (error) => ({ said: error.code }),
    );
    return { said: safe.said };
  });
  const bare = graph("bare", () => ({ ks: collect(once({}).k) }));

  test("P3.5 a generator that had yielded items is not begun again: it fails as NotResumable, naming it", async () => {
    at = -1;
    const { recording } = await undisturbed(bare, undefined);
    const frames = recording.records.findIndex(([kind]) => kind === RecordKind.frame);
    const result = await afterCrash(recording, frames + 2, bare);
    expect(result).toMatchObject({
      status: "failed",
      errors: [{ node: "once", code: "NotResumable", message: expect.stringContaining('"once" had yielded 2 items') }],
    });
    // Before its first item nothing is lost.
    expect(await afterCrash(recording, frames, bare)).toMatchObject({ status: "completed", output: { ks: [0, 1, 2] } });
  });

  test("P3.5 it is an ordinary failure: a fallback takes it", async () => {
    at = -1;
    const { recording } = await undisturbed(flow, undefined);
    const frames = recording.records.findIndex(([kind]) => kind === RecordKind.frame);
    expect(await afterCrash(recording, frames + 1, flow)).toMatchObject({ output: { said: "NotResumable" } });
  });
});

test('P3.5 H37 onResume: "verify", the default, refuses a generator that yields something else', async () => {
  let first = 1;
  const moody = op("moody", async function* () {
    yield { k: first };
    yield { k: 2 };
  });
  const flow = graph("flow", () => ({ ks: collect(moody({}).k) }));
  const { recording } = await undisturbed(flow, undefined);
  first = 9;
  expect(await afterCrash(recording, 2, flow)).toMatchObject({
    status: "failed",
    errors: [{ node: "moody", code: "NonDeterministicResume" }],
  });
});
