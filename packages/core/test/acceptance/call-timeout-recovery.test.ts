/** `timeout.total` of a call of a graph, over crashes, parking, drains and cancels. */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  cell,
  collect,
  derive,
  each,
  fallback,
  graph,
  interrupt,
  memory,
  op,
  push,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { VirtualClock } from "./support/clock.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { stage, timeout } from "./support/stage.ts";

test("a question in the call: the run is put aside, and a later engine ends the call at the same moment", async () => {
  const clock = new VirtualClock();
  const backend = memory();
  const Approval = z.object({ approved: z.boolean() });
  const asking = graph("asking", (input: Ref<{ q: string }>) => ({
    ok: interrupt("ask", { q: input.q }, { answer: Approval }).approved,
  }));
  const flow = graph("flow", (input: Ref<{ q: string }>) => ({
    ok: fallback(
      "ok",
      () => asking({ q: input.q }, { timeout: { total: "2d" } }),
      (error) => ({ ok: derive(error.code, (code) => code === "Nothing") }),
    ).ok,
  }));
  const first = await open({ backend, graphs: [flow], clock, check: checkInvariants });
  const handle = await first.start(flow, { q: "?" }, { id: "run" });
  expect(await handle.result()).toMatchObject({ status: "interrupted", interrupts: [{ node: "ok/body/asking/ask" }] });
  await first.close();
  await clock.advance(86_400_000);
  const second = await open({ backend: backend.another(), graphs: [flow], clock, check: checkInvariants });
  await clock.advance(86_400_000 - 10);
  expect((await second.get("run"))?.status).toBe("interrupted");
  await clock.advance(20);
  await expect.poll(async () => (await second.get("run"))?.status).toBe("completed");
  expect(await second.get("run")).toMatchObject({
    output: { ok: false },
    errors: [{ node: "ok/body/asking", code: "Timeout", message: 'graph "ok/body/asking" did not end within 2 d' }],
    interrupts: [],
  });
  await expect(second.answer("run", "ok/body/asking/ask", { approved: true })).rejects.toMatchObject({
    code: expect.any(String) as string,
  });
});

test("an answer in time ends the clock with the question", async () => {
  const clock = new VirtualClock();
  const Approval = z.object({ approved: z.boolean() });
  const asking = graph("asking", (input: Ref<{ q: string }>) => ({
    ok: interrupt("ask", { q: input.q }, { answer: Approval }).approved,
  }));
  const flow = graph("flow", (input: Ref<{ q: string }>) => ({
    ok: asking({ q: input.q }, { timeout: { total: "2d" } }).ok,
  }));
  const engine = await open({ backend: memory(), graphs: [flow], clock, check: checkInvariants });
  const handle = await engine.start(flow, { q: "?" }, { id: "run" });
  expect(await handle.result()).toMatchObject({ status: "interrupted" });
  await clock.advance(86_400_000);
  const next = await engine.answer("run", "asking/ask", { approved: true });
  expect(await next.result()).toMatchObject({ status: "completed", output: { ok: true }, errors: [] });
  await clock.advance(2 * 86_400_000);
  expect(await engine.get("run")).toMatchObject({ status: "completed", errors: [] });
});

test("R11 behind a crash at any record the call is over at the same moment, and the run ends alike", async () => {
  const { state, wait, tell } = stage();
  const log = cell("log", append<string>());
  const slow = graph("slow", (input: Ref<{ ids: string[] }>) => {
    const id = each(input.ids);
    const got = wait({ id, ms: 400 }, { name: "each" });
    push(log, got.id);
    const last = tell({ id: derive(collect(got.id), (ids) => ids.join("")) });
    return { last: last.told };
  });
  const flow = graph("flow", (input: Ref<{ ids: string[] }>) => {
    const ok = slow({ ids: input.ids }, { name: "ok", timeout: { total: 100_000 } });
    const late = fallback(
      "late",
      () => slow({ ids: input.ids }, timeout(1_000)),
      (error) => ({ last: error.code }),
    );
    return { ok: ok.last, late: late.last };
  });
  const { clock } = state;
  const survey = await clock.until(
    crashEverywhere(
      flow,
      { ids: ["a", "b", "c"] },
      ({ result, cut }, whole) => {
        expect(result, `cut ${cut}`).toMatchObject({ status: "completed", output: { ok: "abc" } });
        // A later life may find the time to be over before it has done anything.
        expect(["Timeout"], `cut ${cut}`).toContain((result as { output: { late: string } }).output.late);
        expect(result.errors, `cut ${cut}`).toEqual(whole.result.errors);
      },
      { clock, check: checkInvariants },
    ),
  );
  expect(survey.result).toMatchObject({ status: "completed", output: { ok: "abc", late: "Timeout" } });
});

test("R11 a run that is resumed when the time is over ends the call without running anything of it", async () => {
  const { state, notes, wait } = stage();
  const slow = graph("slow", (input: Ref<{ id: string }>) => ({ id: wait({ id: input.id, ms: 5_000 }).id }));
  const flow = graph("flow", (input: Ref<{ id: string }>) => ({ id: slow({ id: input.id }, timeout(3_000)).id }));
  const { recording } = await state.clock.until(undisturbed(flow, { id: "x" }, { clock: state.clock }));
  const kinds = recording.records.map(([kind]) => kind);
  expect(kinds).toEqual([0, 11, 4, 9]);
  const at = recording.records[1]?.at(-1);
  const { start } = state.clock;
  expect(at).toBe(start + 3_000);
  for (const [down, starts, elapsed] of [
    [1_000, ["x starts at 0", "x aborted at 2000"], 2_000],
    [60_000, [], 0],
  ] as const) {
    notes.length = 0;
    state.clock = new VirtualClock(start + down);
    const result = await state.clock.until(afterCrash(recording, 2, flow, { clock: state.clock }));
    expect(result).toMatchObject({ status: "failed", errors: [{ node: "slow", code: "Timeout" }] });
    expect(notes).toEqual(starts);
    expect(state.clock.elapsed).toBe(elapsed);
  }
});

test("a cancel ends the call with the run; a drain keeps its moment", async () => {
  const { state, notes, wait } = stage();
  const { clock } = state;
  const slow = graph("slow", (input: Ref<{ id: string }>) => ({
    id: wait({ id: wait({ id: input.id, ms: 1_000 }, { name: "a" }).id, ms: 5_000 }, { name: "b" }).id,
  }));
  const flow = graph("flow", (input: Ref<{ id: string }>) => ({ id: slow({ id: input.id }, timeout(3_000)).id }));
  const engine = await open({ clock, check: checkInvariants, backend: memory(), graphs: [flow] });
  const cancelled = await engine.start(flow, { id: "x" });
  await clock.advance(500);
  await engine.cancel(cancelled.runId, "enough");
  expect(await cancelled.result()).toMatchObject({ status: "cancelled", errors: [] });
  expect(notes).toEqual(["x starts at 0", "x aborted at 500"]);
  await clock.advance(60_000);
  expect(clock.armed).toBe(0);
  notes.length = 0;
  const start = clock.elapsed;
  const drained = await engine.start(flow, { id: "y" }, { id: "drained" });
  await clock.advance(500);
  const draining = engine.drain("drained");
  await clock.advance(2_000);
  await draining;
  expect(await drained.result()).toMatchObject({ status: "drained" });
  const again = await engine.resume("drained");
  const result = await clock.until(again.result());
  expect(result).toMatchObject({ status: "failed", errors: [{ node: "slow", code: "Timeout" }] });
  expect(clock.elapsed - start).toBe(3_000);
});

test("R11 streams out of a call with a limit are live behind every crash, and end as failed at its moment", async () => {
  const { state } = stage();
  const { clock } = state;
  const ticks = op("ticks", async function* ({ to }: { to: number }) {
    for (let n = 0; n < to; n++) {
      yield { n };
      await state.clock.sleep(1_000);
    }
  });
  const source = graph("source", (input: Ref<{ to: number }>) => ({ n: ticks({ to: input.to }).n }));
  const flow = graph("flow", (input: Ref<{ to: number }>) => ({
    all: collect(source({ to: input.to }, { name: "all", timeout: { total: 500_000 } }).n),
    some: collect(source({ to: input.to }, { name: "some", timeout: { total: 2_500 } }).n, { errors: "settle" }),
  }));
  const survey = await clock.until(
    crashEverywhere(
      flow,
      { to: 4 },
      ({ result, cut }, whole) => {
        const at = `cut ${cut}`;
        expect(result, at).toMatchObject({ status: "completed", output: { all: [0, 1, 2, 3] } });
        expect(result.errors, at).toEqual(whole.result.errors);
        const { some } = (result as { output: { some: { ok: boolean }[] } }).output;
        expect(some.map(({ ok }) => ok).indexOf(false), at).toBe(some.length - 1);
      },
      { clock, check: checkInvariants },
    ),
  );
  expect(survey.result).toMatchObject({
    output: {
      some: [{ value: 0 }, { value: 1 }, { value: 2 }, { ok: false, error: { node: "some", code: "Timeout" } }],
    },
    errors: [{ node: "some", code: "Timeout", count: 1, handled: true }],
  });
});

test("R11 another limit is no other graph: a run goes on with the moment that it has, and its failure stays as it was told", async () => {
  const { state, wait } = stage();
  const build = (total: number) => {
    const slow = graph("slow", (input: Ref<{ id: string }>) => ({ id: wait({ id: input.id, ms: 5_000 }).id }));
    return graph("flow", (input: Ref<{ id: string }>) => {
      const got = fallback(
        "got",
        () => slow({ id: input.id }, timeout(total)),
        (error) => ({ id: error.message }),
      );
      return { id: wait({ id: got.id, ms: 10 }, { name: "last" }).id };
    });
  };
  const { clock } = state;
  const { recording } = await clock.until(undisturbed(build(3_000), { id: "x" }, { clock }));
  const longer = build(900_000);
  const over = recording.records.findIndex(([kind]) => kind === 4);
  for (const cut of [over, over + 1]) {
    state.clock = new VirtualClock(clock.start + 1_000);
    const result = await state.clock.until(afterCrash(recording, cut, longer, { clock: state.clock }));
    // Behind the record the old limit is what was told.
    const told = cut === over ? "15 m" : "3 s";
    expect(result).toMatchObject({
      status: "completed",
      output: { id: `graph "got/body/slow" did not end within ${told}` },
    });
    expect(state.clock.elapsed).toBe(cut === over ? 2_010 : 10);
  }
});
