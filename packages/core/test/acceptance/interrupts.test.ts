import { expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  derive,
  each,
  emit,
  fallback,
  graph,
  interrupt,
  loop,
  memory,
  op,
  race,
  sleep,
  text,
  when,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";

const Approval = z.object({ approved: z.boolean(), note: z.string().optional() });
let sent: string[] = [];
const send = op("send", async ({ to }: { to: string }) => {
  sent.push(to);
  return { id: `sent ${to}` };
});

const approval = graph("approval", (input: Ref<{ to: string; risk: number }>) => {
  const risky = derive(input.risk, (risk) => risk > 1);
  const ok = when(
    "gate",
    risky,
    () => interrupt("approve", { text: text`send to ${input.to}?` }, { answer: Approval, title: "Send it?" }),
    () => ({ approved: true }),
  );
  const done = when("deliver", ok.approved, () => send({ to: input.to }));
  return { id: done.id, note: ok.note };
});

test("F15 a waiting run lists its open question with id, node and payload, and goes on with the answer", async () => {
  const engine = await open({ check: checkInvariants });
  sent = [];
  const handle = await engine.start(approval, { to: "you", risk: 2 });
  const waiting = await handle.result();
  expect(waiting.status).toBe("interrupted");
  expect(handle.interrupts()).toMatchObject([
    {
      node: "gate/then/approve",
      path: "approval/gate/then/approve",
      payload: { text: "send to you?" },
      title: "Send it?",
    },
  ]);
  expect(waiting).toMatchObject({ interrupts: handle.interrupts() });
  await expect(handle.answer("gate/then/approve", { approved: "maybe" })).rejects.toMatchObject({
    code: "InvalidValue",
  });
  await expect(handle.answer("nobody", {})).rejects.toMatchObject({ code: "InterruptNotFound" });
  expect(handle.interrupts()).toHaveLength(1);
  await handle.answer(handle.interrupts()[0]!.id, { approved: true, note: "fine" }, { by: "me" });
  expect(await handle.result()).toMatchObject({ status: "completed", output: { id: "sent you", note: "fine" } });
  expect(sent).toEqual(["you"]);
  expect(handle.interrupts()).toEqual([]);
  await expect(handle.answer("gate/then/approve", { approved: true })).rejects.toMatchObject({
    code: "InterruptNotFound",
  });
  expect(await engine.run(approval, { to: "me", risk: 0 })).toEqual({ id: "sent me", note: undefined });
  await expect(engine.run(approval, { to: "x", risk: 5 })).rejects.toMatchObject({ code: "RunInterrupted" });
});

test("P3.2 a run that waits leaves the process, is listed as interrupted, and another engine goes on with the answer", async () => {
  const backend = memory();
  sent = [];
  const first = await open({ backend, graphs: [approval], check: checkInvariants });
  const handle = await first.start(approval, { to: "you", risk: 2 }, { id: "run" });
  const waiting = await handle.result();
  expect(waiting).toMatchObject({ status: "interrupted", interrupts: [{ node: "gate/then/approve" }] });
  expect(await first.list({ status: ["interrupted"] })).toMatchObject([{ id: "run", owner: null }]);
  const info = await first.get("run");
  expect(info).toMatchObject({ status: "interrupted", interrupts: [{ payload: { text: "send to you?" } }] });
  expect(info!.interrupts[0]!.id).toBe(handle.interrupts()[0]!.id);
  await first.close();

  const second = await open({ backend: backend.another(), graphs: [approval], check: checkInvariants });
  expect(second.recovered).toEqual([]);
  const next = await second.answer("run", info!.interrupts[0]!.id, { approved: false }, { by: "you" });
  expect(await next.result()).toMatchObject({ status: "completed", output: { id: undefined } });
  expect(sent).toEqual([]);
  expect((await second.get("run"))!.interrupts).toEqual([]);
});

test("a handle goes on with its run after it was put aside", async () => {
  const engine = await open({ backend: memory(), check: checkInvariants });
  const handle = await engine.start(approval, { to: "you", risk: 2 });
  await handle.result();
  await handle.answer("gate/then/approve", { approved: true });
  expect(await handle.result()).toMatchObject({ status: "completed", output: { id: "sent you" } });
  const other = await engine.start(approval, { to: "you", risk: 2 });
  await other.result();
  expect(await other.cancel("enough")).toMatchObject({ status: "cancelled", reason: "enough" });
});

test("K9 parallel questions are answered in any order while other branches run", async () => {
  const g = graph("many", (input: Ref<{ names: string[] }>) => {
    const name = each(input.names);
    const a = interrupt("ask", { name }, { answer: z.object({ age: z.coerce.number<string>() }) });
    const s = send({ to: text`${name} ${a.age}` });
    const quick = send({ to: "quick" }, { name: "quick" });
    return { all: collect(s.id), quick: quick.id };
  });
  sent = [];
  const engine = await open({ backend: memory(), check: checkInvariants });
  const handle = await engine.start(g, { names: ["a", "b", "c"] });
  expect(await handle.result()).toMatchObject({ status: "interrupted" });
  expect(sent).toEqual(["quick"]);
  expect(handle.interrupts().map(({ path }) => path)).toEqual([
    "many/input.names[0]/ask",
    "many/input.names[1]/ask",
    "many/input.names[2]/ask",
  ]);
  await expect(handle.answer("ask", { age: "1" })).rejects.toMatchObject({ code: "AmbiguousInterrupt" });
  await handle.answer("many/input.names[2]/ask", { age: "3" });
  await handle.result();
  await handle.answer("many/input.names[0]/ask", { age: "1" });
  await handle.result();
  await handle.answer("many/input.names[1]/ask", { age: "2" });
  expect(await handle.result()).toMatchObject({ output: { all: ["sent a 1", "sent b 2", "sent c 3"] } });
  expect(sent).toEqual(["quick", "c 3", "a 1", "b 2"]);
});

test("a question that nobody answers in time takes its default, or fails and reaches the fallback", async () => {
  const clock = new VirtualClock();
  const g = graph("late", (input: Ref<{ q: string }>) => {
    const a = interrupt("a", { q: input.q }, { answer: Approval, timeout: "3d", default: { approved: false } });
    const b = fallback(
      "b",
      () => interrupt("ask", { q: input.q }, { answer: Approval, timeout: "1d" }),
      (e) => ({ approved: false, note: e.code }),
    );
    return { a: a.approved, b: b.note };
  });
  const engine = await open({ clock, check: checkInvariants });
  const handle = await engine.start(g, { q: "?" });
  await clock.advance(0);
  expect(await handle.result()).toMatchObject({ status: "interrupted" });
  await clock.advance(86_400_000 + 10);
  expect(handle.interrupts()).toMatchObject([{ node: "a" }]);
  await clock.advance(2 * 86_400_000 + 10);
  expect(await handle.result()).toMatchObject({
    status: "completed",
    output: { a: false, b: "InterruptTimeout" },
    errors: [{ node: "b/body/ask", code: "InterruptTimeout", handled: true }],
  });
});

test("a parked run keeps its timers, also over a restart", async () => {
  const clock = new VirtualClock();
  const backend = memory();
  const g = graph("parked", (input: Ref<{ q: string }>) => ({
    a: interrupt("a", { q: input.q }, { answer: Approval, timeout: "3d", default: { approved: false } }).approved,
  }));
  const first = await open({ backend, graphs: [g], clock });
  const handle = await first.start(g, { q: "?" }, { id: "run" });
  expect(await handle.result()).toMatchObject({ status: "interrupted" });
  await first.close();
  const second = await open({ backend: backend.another(), graphs: [g], clock });
  await clock.advance(3 * 86_400_000 + 10);
  await expect.poll(async () => (await second.get("run"))?.status).toBe("completed");
  expect(await second.get("run")).toMatchObject({ output: { a: false } });
});

test("K6 a race that is decided withdraws the questions and timers of its losers", async () => {
  const g = graph("race", (input: Ref<{ q: string }>) => {
    const won = race("r", {
      human: () => ({ by: derive(interrupt("ask", { q: input.q }, { answer: Approval }).note, (n) => `${n}`) }),
      slow: () => {
        const slept = sleep("nap", "30d");
        return { by: send({ to: "late" }, { after: [slept] }).id };
      },
      quick: () => {
        const slept = sleep("blink", 5);
        return { by: send({ to: "quick" }, { after: [slept], name: "quickly" }).id };
      },
    });
    return { by: won.by };
  });
  sent = [];
  const engine = await open({ check: checkInvariants });
  const handle = await engine.start(g, { q: "?" });
  expect(await handle.result()).toMatchObject({ status: "completed", output: { by: "sent quick" } });
  expect(handle.interrupts()).toEqual([]);
  await expect(handle.answer("r/human/ask", { approved: true })).rejects.toMatchObject({
    code: "InterruptNotFound",
    message: expect.stringContaining("was withdrawn") as string,
  });
});

test("K6 while the run goes on, and after a crash, an answer to a withdrawn question says that it was withdrawn", async () => {
  const g = graph("still", (input: Ref<{ q: string }>) => {
    const won = race("r", {
      human: () => ({ by: derive(interrupt("ask", { q: input.q }, { answer: Approval }).note, (n) => `${n}`) }),
      quick: () => ({ by: send({ to: "quick" }).id }),
    });
    return { by: won.by, last: interrupt("last", { by: won.by }, { answer: Approval }).approved };
  });
  const backend = memory();
  const first = await open({ backend, graphs: [g], check: checkInvariants });
  const handle = await first.start(g, { q: "?" }, { id: "run" });
  expect(await handle.result()).toMatchObject({ status: "interrupted", interrupts: [{ node: "last" }] });
  const refusal = {
    code: "InterruptNotFound",
    message: expect.stringMatching(/^question .r.human.ask. of run run was withdrawn/) as string,
  };
  await expect(handle.answer("r/human/ask", { approved: true })).rejects.toMatchObject(refusal);
  await first.close();
  const second = await open({ backend: backend.another(), graphs: [g], check: checkInvariants });
  await expect(second.answer("run", "r/human/ask", { approved: true })).rejects.toMatchObject(refusal);
  const next = await second.answer("run", "last", { approved: true });
  expect(await next.result()).toMatchObject({ output: { by: "sent quick", last: true } });
});

test("a form asks again until the answer is good", async () => {
  const Form = z.object({ age: z.coerce.number<number>() });
  const check = op("check", async ({ age }: { age: number }) => ({
    ok: age >= 18,
    problem: age >= 18 ? undefined : `${age} is too young`,
  }));
  const form = graph("form", (input: Ref<{ user: string }>) =>
    loop("ask", { max: 5 }, { problem: undefined as string | undefined, tries: 1 }, (s) => {
      const a = interrupt("form", { user: input.user, problem: s.problem }, { answer: Form });
      const c = check({ age: a.age });
      return {
        next: { problem: c.problem, tries: derive(s.tries, (n) => n + 1) },
        until: c.ok,
        result: { age: a.age, tries: s.tries },
      };
    }),
  );
  const engine = await open({ backend: memory(), check: checkInvariants });
  const handle = await engine.start(form, { user: "u" });
  await handle.result();
  await handle.answer("ask/form", { age: 7 });
  expect(await handle.result()).toMatchObject({
    status: "interrupted",
    interrupts: [{ path: "form/ask#1/form", payload: { user: "u", problem: "7 is too young" } }],
  });
  await handle.answer("ask/form", { age: 30 });
  expect(await handle.result()).toMatchObject({ output: { age: 30, tries: 2 } });
});

test("what is emitted reaches whoever follows the run, in order", async () => {
  const g = graph("emits", (input: Ref<{ xs: number[] }>) => {
    const x = each(input.xs);
    emit("each", { x });
    const all = collect(x);
    emit(
      "done",
      derive(all, (list) => list.length),
    );
    return { all };
  });
  const engine = await open({});
  const handle = await engine.start(g, { xs: [1, 2] });
  const seen: unknown[] = [];
  for await (const event of handle.stream(["custom", "interrupts"]))
    seen.push([event.mode, event.path, "value" in event ? event.value : null]);
  expect(seen).toEqual([
    ["custom", "emits/input.xs[0]/each", { x: 1 }],
    ["custom", "emits/input.xs[1]/each", { x: 2 }],
    ["custom", "emits/done", 2],
  ]);
});

test("R14 P0.4 the question is told before the stream waits", async () => {
  const engine = await open({});
  const handle = await engine.start(approval, { to: "you", risk: 2 });
  const seen: string[] = [];
  for await (const event of handle.stream("interrupts")) {
    seen.push(event.interrupt);
    if (event.interrupt === "asked") await handle.answer(event.id, { approved: true });
  }
  expect(seen).toEqual(["asked", "answered"]);
  expect(await handle.result()).toMatchObject({ status: "completed" });
});

test("P2.3 interrupt ids and idempotency keys are equal when the same run is executed again, and differ by run, op and item", async () => {
  const keys: string[] = [];
  const act = op("act", async ({ n }: { n: number }, ctx) => {
    keys.push(ctx.idempotencyKey);
    return { n };
  });
  const asking = graph("asking", (input: Ref<{ ns: number[] }>) => {
    const { n } = act({ n: each(input.ns) });
    const first = interrupt("first", { n }, { answer: Approval });
    const second = interrupt("second", { n }, { answer: Approval });
    return {
      all: collect(derive([first.approved, second.approved], ([a, b]) => a && b)),
      once: act({ n: 9 }, { name: "b" }).n,
    };
  });
  const once = async (id: string) => {
    keys.length = 0;
    const engine = await open({ backend: memory(), check: checkInvariants });
    const handle = await engine.start(asking, { ns: [1, 2] }, { id });
    await handle.result();
    return { asked: handle.interrupts().map((question) => question.id), keys: [...keys] };
  };
  const one = await once("one");
  expect(await once("one")).toEqual(one);
  const other = await once("other");
  const all = [one, other].flatMap(({ asked, keys: used }) => [...asked, ...used]);
  expect(all.length).toBe(14);
  expect(new Set(all).size).toBe(14);
});

test("F15 a handle follows its run: through answers by the engine, by itself and by a timer, and it keeps none of what was put aside", async () => {
  const clock = new VirtualClock();
  const engine = await open({ backend: memory(), check: checkInvariants, clock });
  const g = graph("thrice", () => {
    const one = interrupt("one", {}, { answer: Approval });
    const two = interrupt("two", { ok: one.approved }, { answer: Approval });
    const three = interrupt(
      "three",
      { ok: two.approved },
      { answer: Approval, timeout: "1h", default: { approved: true } },
    );
    return { all: derive([one.approved, two.approved, three.approved], (all) => all) };
  });
  const handle = await engine.start(g, undefined, { id: "thrice" });
  const rest = async () => {
    const { status } = await handle.result();
    return [status, handle.interrupts().map(({ node }) => node)];
  };
  expect(await rest()).toEqual(["interrupted", ["one"]]);
  await engine.answer("thrice", "one", { approved: true });
  expect(await rest()).toEqual(["interrupted", ["two"]]);
  await handle.answer("two", { approved: false });
  expect(await rest()).toEqual(["interrupted", ["three"]]);
  await clock.advance(3_600_000);
  expect(await handle.output()).toEqual({ all: [true, false, true] });
  const nodes: string[] = [];
  for await (const event of handle.stream("interrupts")) nodes.push(`${event.node} ${event.interrupt}`);
  expect(nodes).toEqual(["one asked", "one answered", "two asked", "two answered", "three asked", "three defaulted"]);
});

test.each(["memory", "none"] as const)(
  "F15 whoever answers as they read of a question reads on, with backend %s",
  async (kind) => {
    const engine = await open({ ...(kind === "memory" && { backend: memory() }), check: checkInvariants });
    const g = graph("three", () => {
      const one = interrupt("one", {}, { answer: Approval });
      const two = interrupt("two", { ok: one.approved }, { answer: Approval });
      const three = interrupt("three", { ok: two.approved }, { answer: Approval });
      return { all: derive([one.approved, two.approved, three.approved], (all) => all) };
    });
    const handle = await engine.start(g, undefined);
    const seen: string[] = [];
    for await (const event of handle.stream(["interrupts", "output"])) {
      if (event.mode === "output") seen.push("result" in event ? event.result.status : `${event.key}`);
      else seen.push(`${event.node} ${event.interrupt}`);
      if (event.mode !== "interrupts" || event.interrupt !== "asked") continue;
      if (event.node === "two") await engine.answer(handle.runId, "two", { approved: true });
      else await handle.answer(event.node, { approved: true });
    }
    const asked = ["one", "two", "three"].flatMap((node) => [`${node} asked`, `${node} answered`]);
    expect(seen).toEqual([...asked, "all", "completed"]);
  },
);

test("an answer to a drained run is given to it and lets it go on, by its handle as by the engine", async () => {
  for (const by of ["handle", "engine"] as const) {
    const engine = await open({ backend: memory(), check: checkInvariants });
    const handle = await engine.start(approval, { to: "you", risk: 2 });
    const drained = handle.drain();
    expect(["drained", "interrupted"]).toContain((await drained).status);
    if (by === "handle") await handle.answer("gate/then/approve", { approved: true });
    else await engine.answer(handle.runId, "gate/then/approve", { approved: true });
    expect(await handle.output()).toMatchObject({ id: "sent you" });
  }
});
