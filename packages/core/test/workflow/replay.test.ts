import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  graph,
  memory,
  op,
  openEngine,
  workflow,
  type CallError,
  type Op,
  type Ref,
  type WorkflowCtx,
} from "../../src/index.ts";
import { RecordKind } from "../../src/events/record.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "../acceptance/support/engines.ts";
import { eventually, forever } from "../acceptance/support/gate.ts";
import { crashedBehind, recordingOf, rowsOf } from "../acceptance/support/journal.ts";

const Yes = z.object({ yes: z.boolean() });
let began: string[] = [];
function counted(name: string): Op<{ n: number; tag?: string }, { n: number }> {
  return op(name, async ({ n }: { n: number; tag?: string }) => {
    began.push(name);
    return { n: n + 1 };
  });
}
const one = counted("one");
const two = counted("two");
const three = counted("three");
const uses = [one, two, three] as const;
type Ctx = WorkflowCtx<(typeof uses)[number], {}, never>;

/** Two versions of a body: the second is what is there when the run goes on. */
function versions<O>(before: (w: Ctx, n: number) => Promise<O>, after: (w: Ctx, n: number) => Promise<O>) {
  const of = (body: typeof before) => workflow("flow", { uses }, (w, { n }: { n: number }) => body(w, n));
  return { before: of(before), after: of(after) };
}

/** A journal of so many calls that have come back, and what another body makes of it. */
async function goneOn(
  { before, after }: ReturnType<typeof versions>,
  records: number,
): Promise<readonly (readonly [string, string])[]> {
  const { recording } = await undisturbed(before, { n: 1 });
  began = [];
  const result = await afterCrash(recording, records, after);
  return result.errors.map(({ code, message }) => [code, message.split("\n")[0]!] as const);
}

const inOrder = async (w: Ctx, n: number): Promise<{ n: number }> => {
  const first = await w.run(one, { n });
  const second = await w.run(two, first);
  return w.run(three, second);
};
/** Start, then a call, its arm and what it came to, three times. */
const behindTwo = 9;

describe("S11 a body that makes other calls", () => {
  test("in another order, is told the recorded and the new one", async () => {
    const errors = await goneOn(
      versions(inOrder, async (w, n) => w.run(three, await w.run(one, await w.run(two, { n })))),
      behindTwo,
    );
    expect(errors).toEqual([["NonDeterministicWorkflow", 'call 0 of workflow "flow" is "two", and "one" is recorded']]);
    // The third was under way when the process died.
    expect(began).toEqual(["three"]);
  });

  test("with another input", async () => {
    const errors = await goneOn(
      versions(inOrder, async (w, n) => w.run(three, await w.run(two, await w.run(one, { n: n + 1 })))),
      behindTwo,
    );
    expect(errors).toEqual([
      ["NonDeterministicWorkflow", 'call 0 of workflow "flow" is "one" again, but its input is not the recorded one'],
    ]);
  });

  test("under another name", async () => {
    const errors = await goneOn(
      versions(
        async (w, n) => w.run(two, await w.run(one, { n }, { name: "before" })),
        async (w, n) => w.run(two, await w.run(one, { n }, { name: "after" })),
      ),
      4,
    );
    expect(errors).toEqual([
      ["NonDeterministicWorkflow", 'call 0 of workflow "flow" is "one" (after), and "one" (before) is recorded'],
    ]);
  });

  test("and is over too early", async () => {
    const errors = await goneOn(
      versions(inOrder, async (w, n) => w.run(one, { n })),
      behindTwo,
    );
    expect(errors).toEqual([
      ["NonDeterministicWorkflow", 'workflow "flow" is over, but "two", its call 1, is recorded'],
    ]);
  });

  test("and fails too early, with what it failed by", async () => {
    const { before, after } = versions(inOrder, async (w, n) => {
      await w.run(one, { n });
      throw new TypeError("a new mistake");
    });
    const { recording } = await undisturbed(before, { n: 1 });
    const { errors } = await afterCrash(recording, behindTwo, after);
    expect(errors.map(({ code, causes }) => [code, causes])).toEqual([
      ["NonDeterministicWorkflow", ["TypeError: a new mistake"]],
    ]);
  });

  test("and waits where it went on before", async () => {
    const errors = await goneOn(
      versions(
        async (w, n) => {
          const [first] = await Promise.all([w.run(one, { n }), w.run(two, { n })]);
          return first;
        },
        async (w, n) => {
          await w.run(one, { n });
          return w.run(two, { n });
        },
      ),
      5,
    );
    expect(errors).toEqual([["NonDeterministicWorkflow", 'workflow "flow" waits, but "two", its call 1, is recorded']]);
  });

  test("a new version is not resumed at all", async () => {
    const flow = (version: string) => workflow("flow", { uses, version }, (w, { n }: { n: number }) => inOrder(w, n));
    const { recording } = await undisturbed(flow("1"), { n: 1 });
    const backend = await crashedBehind(recording, behindTwo);
    const engine = await openEngine({ backend, graphs: [flow("2")], warn: () => undefined });
    await expect(engine.resume("run")).rejects.toMatchObject({ code: "FingerprintMismatch" });
    await engine.close();
  });
});

describe("S11 after a crash behind every record", () => {
  const nested = workflow("nested", { uses: [one] }, async (w, { n }: { n: number }) => {
    const first = await w.run(one, { n, tag: w.uuid() });
    return w.run(one, { n: first.n, tag: String(w.now()) });
  });
  const part = graph("part", (input: Ref<{ n: number }>) => ({ n: two({ n: one({ n: input.n }).n }).n }));
  const whole = workflow(
    "whole",
    { uses: [one, two, three, nested, part], emits: ["news"] },
    async (w, { n }: { n: number }) => {
      const [a, b] = await Promise.all([w.run(one, { n, tag: `${w.random()}` }), w.run(part, { n })]);
      w.emit("news", { a });
      const all = await w.all([() => w.run(nested, { n: a.n }), () => w.run(two, { n: b.n })], { concurrency: 1 });
      await w.sleep(1);
      return { n: (await w.run(three, { n: all[0].n + all[1].n })).n, at: w.now() > 0 };
    },
  );

  test("the outcome is the same, and what was over does not run again", async () => {
    began = [];
    const again: (readonly [cut: number, bodies: number])[] = [];
    const survey = await crashEverywhere(
      whole,
      { n: 1 },
      ({ cut, recording, result }, { result: due }) => {
        expect([cut, result]).toEqual([cut, due]);
        const over = recording.records.slice(0, cut).filter(([kind]) => kind === RecordKind.output).length;
        again.push([cut, began.length + over]);
        began = [];
      },
      { check: checkInvariants },
    );
    // The first one holds the undisturbed run too.
    const [[first, both] = [0, 0], ...others] = again;
    expect([first, both]).toEqual([1, 14]);
    expect(others).toEqual(others.map(([cut]) => [cut, 7]));
    expect(survey.result).toMatchObject({ status: "completed", output: { n: 9, at: true } });
  });
});

describe("a body that waits", () => {
  test("leaves its process, and is built anew from what it was told, wherever the answer comes", async () => {
    let lives = 0;
    const flow = workflow(
      "flow",
      { uses: [one, two], asks: { ok: { answer: Yes } } },
      async (w, { n }: { n: number }) => {
        lives++;
        const first = await w.run(one, { n });
        const { yes } = await w.interrupt("ok", first);
        return yes ? (await w.run(two, first)).n : 0;
      },
    );
    began = [];
    const backend = memory();
    const first = await openEngine({ backend, graphs: [flow] });
    const handle = await first.start(flow, { n: 1 }, { id: "run" });
    expect(await handle.result()).toMatchObject({ status: "interrupted" });
    await first.close();
    const second = await openEngine({ backend: backend.another(), graphs: [flow], check: checkInvariants });
    const resumed = await second.answer("run", "ok", { yes: true });
    expect(await resumed.result()).toMatchObject({ status: "completed", output: 3 });
    await second.close();
    expect([began, lives]).toEqual([["one", "two"], 2]);
  });

  test("finds what its calls came to in a snapshot; what it called is read, so that it is not compacted away", async () => {
    const flow = workflow("flow", { uses, asks: { ok: { answer: Yes } } }, async (w, { n }: { n: number }) => {
      const first = await w.run(one, { n, tag: w.uuid() });
      await w.interrupt("ok");
      const second = await w.run(two, { n: first.n });
      await w.interrupt("ok");
      return w.run(three, { n: first.n + second.n });
    });
    began = [];
    let backend = memory();
    const options = { graphs: [flow], snapshots: { after: 1, share: Infinity }, check: checkInvariants };
    const first = await openEngine({ ...options, backend });
    const started = await first.start(flow, { n: 1 }, { id: "run" });
    expect(await started.result()).toMatchObject({ status: "interrupted" });
    await first.close();
    for (const status of ["interrupted", "completed"]) {
      backend = backend.another();
      const engine = await openEngine({ ...options, backend });
      await expect(engine.compact("run")).rejects.toMatchObject({ code: "NotCompactable" });
      const handle = await engine.answer("run", "ok", { yes: true });
      expect(await handle.result()).toMatchObject({ status });
      await engine.close();
    }
    expect(began).toEqual(["one", "two", "three"]);
    const reader = backend.another();
    await reader.open("reader");
    const { records } = await recordingOf(reader, "run");
    expect(records.filter(([kind]) => kind === RecordKind.snapshot).length).toBeGreaterThan(3);
  });

  test("a run that is drained goes on behind what was recorded", async () => {
    const flow = workflow("flow", { uses, asks: { ok: { answer: Yes } } }, async (w, { n }: { n: number }) => {
      const asked = w.interrupt("ok");
      const first = await w.run(one, { n });
      await asked;
      return w.run(two, first);
    });
    began = [];
    const backend = memory();
    const engine = await open({ backend, graphs: [flow] });
    const handle = await engine.start(flow, { n: 1 }, { id: "run" });
    await handle.drain();
    await engine.close();
    const next = await openEngine({ backend: backend.another(), graphs: [flow] });
    const resumed = await next.resume("run");
    expect(await resumed.result()).toMatchObject({ status: "interrupted" });
    const answered = await next.answer("run", "ok", { yes: true });
    expect(await answered.result()).toMatchObject({ status: "completed", output: { n: 3 } });
    await next.close();
    expect(began).toEqual(["one", "two"]);
  });

  test("also a run without a backend, drained in its process, goes on", async () => {
    const flow = workflow("flow", { uses }, async (w, { n }: { n: number }) => inOrder(w, n));
    const engine = await openEngine();
    const handle = await engine.start(flow, { n: 1 });
    await handle.drain();
    const resumed = await engine.resume(handle.runId);
    expect(await resumed.result()).toMatchObject({ status: "completed", output: { n: 4 } });
    await engine.close();
  });

  test("and one that was drained while a call came back", async () => {
    const drain: { now?: () => Promise<unknown> } = {};
    const draining = op("draining", ({ n }: { n: number }) => {
      if (n === 2) void drain.now?.();
      return { n: n + 1 };
    });
    const flow = workflow("flow", { uses: [draining] }, async (w, { n }: { n: number }) => {
      let last = { n };
      for (let i = 0; i < 4; i++) {
        last = await w.run(draining, last);
        await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(undefined))));
      }
      return last;
    });
    const engine = await openEngine();
    const handle = await engine.start(flow, { n: 1 });
    drain.now = () => handle.drain();
    expect(await handle.result()).toMatchObject({ status: "drained" });
    const resumed = await engine.resume(handle.runId);
    expect(await resumed.result()).toMatchObject({ status: "completed", output: { n: 5 } });
    await engine.close();
  });

  test("is not taken for what its process dies of, while what it called is at work", async () => {
    let hangs = 0;
    const fatal = op("fatal", () => {
      hangs++;
      return forever();
    });
    const flow = workflow("flow", { uses: [fatal] }, async (w, _input: {}) =>
      w.run(fatal, {}).catch((error: CallError) => error.code),
    );
    let backend = memory();
    let engine = await openEngine({ backend, graphs: [flow] });
    await engine.start(flow, {}, { id: "run" });
    await eventually("the call is under way", () => hangs === 1);
    for (let deaths = 0; deaths < 3; deaths++) {
      await backend.abandon();
      backend = backend.another();
      engine = await openEngine({ backend, graphs: [flow], warn: () => undefined, check: checkInvariants });
    }
    const handle = engine.recovered[0] ?? (await engine.resume("run"));
    expect(await handle.result()).toMatchObject({ status: "completed", output: "CrashLoop" });
    await engine.close();
  });

  test("writes what came back with what it calls next: a call is one commit", async () => {
    const flow = workflow("flow", { uses: [one] }, async (w, { n }: { n: number }) => {
      for (let i = 0; i < n; i++) await w.run(one, { n: i });
    });
    const backend = memory();
    const engine = await open({ backend, graphs: [flow] });
    const handle = await engine.start(flow, { n: 20 }, { id: "run" });
    expect(await handle.result()).toMatchObject({ status: "completed" });
    expect(await rowsOf(backend, "run")).toHaveLength(22);
  });
});
