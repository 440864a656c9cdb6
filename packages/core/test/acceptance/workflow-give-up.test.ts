/** A call that its body gives up: the loser of a race, what nobody wants any more. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CallError, graph, memory, op, workflow, type Engine, type Ref } from "../../src/index.ts";
import { RecordKind } from "../../src/events/record.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { eventually, forever } from "./support/gate.ts";

const Yes = z.object({ yes: z.boolean() });
const asks = { ok: { answer: Yes }, never: { answer: Yes } };
let began: string[] = [];
let aborted: string[] = [];
const double = op("double", async ({ n }: { n: number }) => {
  began.push(`double ${n}`);
  return { n: n * 2 };
});
/** Until it is aborted. */
const hang = op("hang", async ({ name }: { name: string }, ctx): Promise<{ never: true }> => {
  began.push(name);
  ctx.signal.addEventListener("abort", () => aborted.push(name));
  return forever();
});

function fresh(): void {
  began = [];
  aborted = [];
}

async function questionsOf(engine: Engine): Promise<readonly string[]> {
  return (await engine.get("run"))?.interrupts.map(({ node }) => node) ?? [];
}

describe("what its body gives up", () => {
  test("S11 ends at once: the body of an op is aborted, a question and a timer are taken back, and the workflow goes on", async () => {
    fresh();
    const flow = workflow("flow", { uses: [double, hang], asks }, async (w, _input: {}) => {
      const stop = new AbortController();
      const { signal } = stop;
      const first = await Promise.race([
        w.run(double, { n: 1 }, { signal }),
        w.run(hang, { name: "slow" }, { signal, name: "the slow one" }),
        w.interrupt("never", undefined, { signal }),
        w.sleep("30d", { signal }).then(() => "late"),
      ]);
      stop.abort();
      const { yes } = await w.interrupt("ok", first);
      return { first, yes };
    });
    const engine = await open({ backend: memory(), graphs: [flow], check: checkInvariants });
    const handle = await engine.start(flow, {}, { id: "run" });
    expect(await handle.result()).toMatchObject({ status: "interrupted", errors: [] });
    expect([began, aborted]).toEqual([["double 1", "slow"], ["slow"]]);
    expect(await questionsOf(engine)).toEqual(["ok"]);
    // It is put aside, and nothing but the answer wakes it.
    expect((await engine.list())[0]?.wakeAt).toBe(null);
    await expect(engine.answer("run", "never", { yes: true })).rejects.toMatchObject({ code: "InterruptNotFound" });
    await handle.answer("ok", { yes: true });
    expect(await handle.output()).toEqual({ first: { n: 2 }, yes: true });
    expect(began).toEqual(["double 1", "slow"]);
  });

  test("is all that it called in turn: a workflow, a graph and what they ask", async () => {
    fresh();
    const inner = workflow("inner", { uses: [hang], asks: { never: { answer: Yes } } }, (w, _input: {}) =>
      Promise.all([w.run(hang, { name: "inner" }), w.interrupt("never")]),
    );
    const part = graph("part", (input: Ref<{ name: string }>) => ({ never: hang({ name: input.name }).never }));
    const flow = workflow("flow", { uses: [inner, part], asks }, async (w, _input: {}) => {
      const stop = new AbortController();
      const both = [w.run(inner, {}, stop), w.run(part, { name: "part" }, stop)];
      await w.interrupt("ok");
      stop.abort();
      const ends = await Promise.allSettled(both);
      await w.interrupt("ok");
      return ends.map(({ status }) => status);
    });
    const engine = await open({ backend: memory(), graphs: [flow], check: checkInvariants });
    const handle = await engine.start(flow, {}, { id: "run" });
    await eventually("all is under way", async () => began.length === 2 && (await questionsOf(engine)).length === 2);
    await handle.answer("ok", { yes: true });
    expect(await handle.result()).toMatchObject({ status: "interrupted", errors: [] });
    expect(aborted.toSorted()).toEqual(["inner", "part"]);
    expect(await questionsOf(engine)).toEqual(["ok"]);
    await handle.answer("ok", { yes: true });
    expect(await handle.output()).toEqual(["rejected", "rejected"]);
  });

  test("rejects with an AbortError, which says why; nobody has to look at it", async () => {
    fresh();
    const flow = workflow("flow", { uses: [hang, double] }, async (w, _input: {}) => {
      const stop = new AbortController();
      const looked = w.run(hang, { name: "looked" }, stop).catch((error: Error) => error);
      const derived = w.run(hang, { name: "derived" }, stop).then(() => "never");
      void w.run(hang, { name: "ignored" }, stop);
      stop.abort("enough");
      const error = (await looked) as Error;
      // Whoever looks at this one later, looks at it.
      await w.run(double, { n: 1 });
      void derived;
      return { name: error.name, message: error.message, cause: error.cause, ours: error instanceof CallError };
    });
    const engine = await open({ backend: memory(), graphs: [flow] });
    const result = await (await engine.start(flow, {})).result();
    const output = { name: "AbortError", message: '"hang" was given up', cause: "enough", ours: false };
    expect(result).toEqual({ status: "completed", output, errors: [], cells: {} });
  });

  test("is not even called when the signal is aborted before, and stays as it is when it has come back or the body is over", async () => {
    fresh();
    const flow = workflow("flow", { uses: [double] }, async (w, _input: {}) => {
      const stop = new AbortController();
      const { n } = await w.run(double, { n: 1 }, stop);
      stop.abort();
      const refused = await w.run(double, { n }, stop).catch((error: Error) => error.name);
      const last = new AbortController();
      setImmediate(() => last.abort());
      const { n: again } = await w.run(double, { n: 5 }, last);
      return { refused, again };
    });
    const { result, recording } = await undisturbed(flow, {});
    expect(result).toMatchObject({ status: "completed", output: { refused: "AbortError", again: 10 }, errors: [] });
    expect(recording.records.filter(([kind]) => kind === RecordKind.frame)).toHaveLength(2);
  });
});

describe("S11 given up, after a crash behind every record", () => {
  const nested = workflow("nested", { uses: [hang, double] }, async (w, { n }: { n: number }) => {
    const stop = new AbortController();
    const winner = await Promise.race([w.run(double, { n }, stop), w.run(hang, { name: "inner" }, stop)]);
    stop.abort();
    return winner;
  });
  const flow = workflow(
    "flow",
    { uses: [double, hang, nested], asks: { never: { answer: Yes } } },
    async (w, { n }: { n: number }) => {
      const stop = new AbortController();
      const winner = await Promise.race([
        w.run(double, { n }, stop),
        w.run(hang, { name: "slow" }, stop),
        w.interrupt("never", undefined, stop),
        w.sleep("1h", stop),
      ]);
      stop.abort();
      const from = w.now();
      const inner = await w.run(nested, { n: 4 });
      await w.sleep(1);
      return { winner, inner, chance: w.random() < 1, passed: w.now() >= from };
    },
  );

  test("it comes to the same, nothing that was over runs again, and nothing that was given up begins again", async () => {
    fresh();
    const again: string[] = [];
    let cuts = 0;
    const survey = await crashEverywhere(
      flow,
      { n: 1 },
      ({ cut, recording, result }, { result: due }) => {
        expect([cut, result]).toEqual([cut, due]);
        const kept = recording.records.slice(0, cut);
        const given = (name: string): number =>
          kept.filter(([kind, , , value]) => kind === RecordKind.frame && JSON.stringify(value).includes(name)).length;
        // The outer one is given up with three others, the inner one with none.
        if (given('"call":""') >= 3 && began.includes("slow")) again.push(`slow behind ${cut}`);
        if (given('"call":""') >= 4 && began.includes("inner")) again.push(`inner behind ${cut}`);
        cuts++;
        fresh();
      },
      { check: checkInvariants },
    );
    expect(survey.result).toMatchObject({
      status: "completed",
      output: { winner: { n: 2 }, inner: { n: 8 }, chance: true, passed: true },
    });
    expect(again).toEqual([]);
    expect(cuts).toBeGreaterThan(20);
    expect(survey.recording.records.filter(([kind]) => kind === RecordKind.frame)).toHaveLength(12);
  });

  test("a body that gives up another call than before is told so", async () => {
    const giving = (which: 0 | 1) =>
      workflow("flow", { uses: [hang, double] }, async (w, _input: {}) => {
        const stops = [new AbortController(), new AbortController()] as const;
        const calls = stops.map((stop, at) => w.run(hang, { name: `${at}` }, stop).catch(() => undefined));
        stops[which].abort();
        await w.run(double, { n: 1 });
        stops[which === 0 ? 1 : 0].abort();
        return (await Promise.all(calls)).length;
      });
    const { recording, result } = await undisturbed(giving(0), {});
    expect(result).toMatchObject({ status: "completed", output: 2 });
    // With its decision, which is written in the same row.
    const last = recording.records.findLastIndex(([kind]) => kind === RecordKind.frame);
    const { errors } = await afterCrash(recording, last + 2, giving(1));
    expect(errors.map(({ code, message }) => [code, message.split("\n")[0]])).toEqual([
      [
        "NonDeterministicWorkflow",
        'call 2 of workflow "flow" is that call 1 is given up, and that call 0 is given up is recorded',
      ],
    ]);
  });
});

test("what is no signal, and one that is aborted from elsewhere, fail the workflow by name", async () => {
  const wrong = workflow("flow", { uses: [double] }, async (w, _input: {}) =>
    w.run(double, { n: 1 }, { signal: { aborted: false } as never }),
  );
  const engine = await open({ backend: memory() });
  const refused = await (await engine.start(wrong, {})).result();
  expect(refused).toMatchObject({ status: "failed", errors: [{ code: "BuildError" }] });
  const outside = new AbortController();
  const elsewhere = workflow("flow", { uses: [hang] }, async (w, _input: {}) => {
    await w.run(hang, { name: "elsewhere" }, outside).catch(() => "caught");
  });
  fresh();
  const handle = await engine.start(elsewhere, {});
  await eventually("it waits", () => began.length === 1);
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  outside.abort();
  expect(await handle.result()).toMatchObject({ status: "failed", errors: [{ code: "WorkflowCallElsewhere" }] });
});
