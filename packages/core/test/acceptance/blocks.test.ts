import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  each,
  fail,
  fallback,
  given,
  graph,
  loop,
  match,
  op,
  orElse,
  push,
  race,
  read,
  route,
  text,
  when,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { gate } from "./support/gate.ts";

const check = { check: checkInvariants };
let ran: string[] = [];

const tell = op("tell", async ({ say }: { say: string }, ctx) => {
  ran.push(ctx.path);
  await Promise.resolve();
  return { said: say, long: say.length > 3 };
});
const refuse = op("refuse", async ({ say }: { say: string }): Promise<{ said: string; long: boolean }> => {
  await Promise.resolve();
  throw new Error(`no ${say}`);
});
const inc = op("inc", async ({ n }: { n: number }, ctx) => {
  ran.push(ctx.path);
  await Promise.resolve();
  return { n: n + 1 };
});

test("only the arm that is taken runs, and its fields go out as they resolve", async () => {
  const g = graph("arms", (input: Ref<{ word: string; kind: "a" | "b"; who?: string }>) => {
    const first = tell({ say: input.word });
    const long = when(
      "long",
      first.long,
      () => tell({ say: "long" }),
      () => ({ said: "short" }),
    );
    const maybe = when("maybe", first.long, () => ({ note: tell({ say: "note" }).said }));
    const kind = route("kind", input.kind, {
      a: () => ({ it: tell({ say: "A" }).said }),
      b: () => ({ it: "plain b" }),
    });
    const open = route("open", input.word, { hello: () => ({ it: 1 }) }, () => ({ it: tell({ say: "other" }).said }));
    const who = given(
      "who",
      input.who,
      (name) => ({ hi: text`hi ${name}` }),
      () => ({ hi: "nobody" }),
    );
    return { long: long.said, note: maybe.note, kind: kind.it, open: open.it, who: who.hi };
  });
  ran = [];
  const engine = await open(check);
  expect(await engine.run(g, { word: "hello", kind: "a", who: "you" })).toEqual({
    long: "long",
    note: "note",
    kind: "A",
    open: 1,
    who: "hi you",
  });
  expect(ran.toSorted()).toEqual(["arms/kind/a/tell", "arms/long/then/tell", "arms/maybe/then/tell", "arms/tell"]);
  ran = [];
  expect(await engine.run(g, { word: "no", kind: "b" })).toEqual({
    long: "short",
    note: undefined,
    kind: "plain b",
    open: "other",
    who: "nobody",
  });
  expect(ran.toSorted()).toEqual(["arms/open/otherwise/tell", "arms/tell"]);
});

test("a match narrows and runs the arm of the member", async () => {
  type Next = { type: "tool"; call: string } | { type: "final"; text: string };
  const step = op("step", async ({ q }: { q: string }): Promise<Next> =>
    q === "tool" ? { type: "tool", call: "c" } : { type: "final", text: "t" },
  );
  const g = graph("m", (input: Ref<{ q: string }>) =>
    match("next", step({ q: input.q }), "type", {
      tool: (s) => ({ answer: tell({ say: s.call }).said }),
      final: (s) => ({ answer: s.text }),
    }),
  );
  const engine = await open(check);
  expect(await engine.run(g, { q: "tool" })).toEqual({ answer: "c" });
  expect(await engine.run(g, { q: "x" })).toEqual({ answer: "t" });
});

test("arms of items run per item, in the lane of their stream", async () => {
  const g = graph("items", (input: Ref<{ words: string[] }>) => {
    const word = each(input.words);
    const first = tell({ say: word }, { parallel: 4 });
    const out = when(
      "long",
      first.long,
      () => tell({ say: text`${word}!` }, { parallel: 2 }),
      () => ({ said: word }),
    );
    return { all: collect(out.said) };
  });
  await crashEverywhere(
    g,
    { words: ["one", "three", "four", "x"] },
    ({ result }) =>
      expect(result).toMatchObject({ status: "completed", output: { all: ["one", "three!", "four!", "x"] } }),
    check,
  );
});

test("F22 a loop starts from the graph's input, and says so when it reaches its cap", async () => {
  const g = graph("count", (input: Ref<{ from: number; to: number }>) =>
    loop("up", { max: 5 }, { n: input.from, seen: [] as number[] }, (s) => {
      const i = inc({ n: s.n });
      const seen = derive([s.seen, i.n] as const, ([list, n]) => [...list, n]);
      return {
        next: { n: i.n, seen },
        until: derive([i.n, input.to], ([n, to]) => n >= to),
        result: { n: i.n, seen },
      };
    }),
  );
  ran = [];
  const engine = await open(check);
  expect(await engine.run(g, { from: 7, to: 9 })).toEqual({ n: 9, seen: [8, 9] });
  expect(ran).toEqual(["count/up#0/inc", "count/up#1/inc"]);
  const result = await (await engine.start(g, { from: 0, to: 100 })).result();
  expect(result.status).toBe("failed");
  expect(result.errors).toMatchObject([{ node: "up", path: "count/up", code: "LoopLimitExceeded", count: 1 }]);
});

test("R08 P0.3 a loop that never exits is in errors with its path and limit, and its siblings go on; under fail-fast they are aborted and it is thrown", async () => {
  const aborted: string[] = [];
  const began = gate();
  const through = gate();
  const sibling = op("sibling", async ({ n }: { n: number }, { signal }) => {
    signal.addEventListener("abort", () => aborted.push("sibling"));
    began.open();
    await Promise.race([through.opened, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    return { n };
  });
  const endless = graph("endless", (input: Ref<{ n: number }>) => {
    const on = loop("on", { max: 3 }, { n: input.n }, (s) => ({
      next: { n: inc({ n: s.n }).n },
      until: derive(s.n, () => false),
    }));
    return { n: on.n, beside: sibling({ n: input.n }).n };
  });
  const entry = { node: "on", path: "endless/on", code: "LoopLimitExceeded", count: 1, handled: false };
  ran = [];
  const loud = await open({ ...check, errors: "raise" });
  await expect(loud.run(endless, { n: 1 })).rejects.toMatchObject({
    code: "OpFailed",
    message: expect.stringContaining('"on" did not end within 3 iterations'),
  });
  expect([aborted, ran]).toEqual([["sibling"], [0, 1, 2].map((i) => `endless/on#${i}/inc`)]);

  const engine = await open(check);
  const handle = await engine.start(endless, { n: 1 });
  await began.opened;
  through.open();
  const result = await handle.result();
  expect(result).toMatchObject({ status: "failed", errors: [entry] });
  expect(result.errors).toHaveLength(1);
  expect(aborted).toEqual(["sibling"]);

  const exits = graph("exits", (input: Ref<{ n: number }>) =>
    loop("on", { max: 3, onLimit: "exit" }, { n: input.n }, (s) => ({
      next: { n: inc({ n: s.n }).n },
      until: derive(s.n, () => false),
    })),
  );
  expect(await engine.run(exits, { n: 1 })).toEqual({ n: 4 });
});

test("R17 loops in loops and streams in loops go on after a crash at every record", async () => {
  const g = graph("nest", (input: Ref<{ n: number }>) =>
    loop("outer", {}, { n: input.n, log: [] as number[] }, (s) => {
      const inner = loop("inner", {}, { k: 0 }, (t) => {
        const i = inc({ n: t.k });
        return { next: { k: i.n }, until: derive([i.n, s.n], ([k, n]) => k >= n) };
      });
      const item = each(
        derive(inner.k, (k) => Array.from({ length: k }, (_, i) => i)),
        { name: "items" },
      );
      const done = collect(inc({ n: item }, { name: "per", parallel: 2 }).n);
      const log = derive([s.log, done] as const, ([a, b]) => [...a, ...b]);
      return { next: { n: derive(s.n, (n) => n - 1), log }, until: derive(s.n, (n) => n <= 1), result: { log } };
    }),
  );
  const survey = await crashEverywhere(
    g,
    { n: 3 },
    ({ result, cut }, { result: whole }) => expect({ cut, result }).toEqual({ cut, result: whole }),
    check,
  );
  expect(survey.result).toMatchObject({ status: "completed", output: { log: [1, 2, 3, 1, 2, 1] } });
});

test("R07 a fallback's handler runs once, with the error after the last attempt and the inputs", async () => {
  let tries = 0;
  const flaky = op("flaky", { retry: { attempts: 3, initial: 1, on: () => true } }, async ({ q }: { q: string }) => {
    tries++;
    if (tries > 0) throw Object.assign(new Error(`down ${q}`), { code: "E_DOWN" });
    return { answer: "", degraded: false };
  });
  const small = op("small", async ({ q, why }: { q: string; why: string }) => ({
    answer: `${q}: ${why}`,
    degraded: true,
  }));
  const g = graph("rag", (input: Ref<{ q: string }>) => {
    const a = fallback(
      "answer",
      () => flaky({ q: input.q }),
      (e) => {
        const s = small({ q: input.q, why: e.message });
        return { answer: s.answer, degraded: s.degraded, input: e.input, attempts: e.attempts, node: e.node };
      },
    );
    return a;
  });
  tries = 0;
  const engine = await open(check);
  const result = await (await engine.start(g, { q: "hi" })).result();
  expect(result).toMatchObject({
    status: "completed",
    output: { answer: "hi: down hi", degraded: true, input: { q: "hi" }, attempts: 3, node: "answer/body/flaky" },
    errors: [{ node: "answer/body/flaky", attempts: 3, count: 1, handled: true }],
  });
  expect(tries).toBe(3);
});

test("K7 the body is swept, the handler runs once, and a failing handler keeps the first error as its cause", async () => {
  const aborted: string[] = [];
  const hang = op("hang", async ({ say }: { say: string }, ctx) => {
    await new Promise((_, reject) =>
      ctx.signal.addEventListener("abort", () => {
        aborted.push(say);
        reject(new Error("aborted"));
      }),
    );
    return { said: say };
  });
  const g = graph("saga", (input: Ref<{ say: string }>) => {
    const done = fallback(
      "outer",
      () => {
        const first = tell({ say: input.say });
        hang({ say: "side" });
        return refuse({ say: first.said });
      },
      (e) => {
        const undone = tell({ say: "undo" });
        return fail("giveUp", { message: text`gave up: ${e.message}`, data: { why: e.code } }, { after: [undone] });
      },
    );
    return { said: done };
  });
  ran = [];
  const { result } = await undisturbed(g, { say: "x" }, check);
  expect(aborted).toEqual(["side"]);
  expect(ran).toEqual(["saga/outer/body/tell", "saga/outer/handler/tell"]);
  expect(result.status).toBe("failed");
  expect(result.errors).toMatchObject([
    { node: "outer/body/refuse", handled: true },
    { node: "outer/handler/giveUp", message: "gave up: no x" },
    { node: "outer", message: "gave up: no x", cause: "outer/body/refuse" },
  ]);
});

test("an unsafe op that runs when the body fails is awaited before the handler", async () => {
  const order: string[] = [];
  const charge = op("charge", { effect: "unsafe" }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push("charged");
    return {};
  });
  const undo = op("undo", async () => {
    order.push("undo");
    return { ok: true };
  });
  const g = graph("await", (input: Ref<{ say: string }>) =>
    fallback(
      "f",
      () => {
        charge();
        return { ok: derive(refuse({ say: input.say }), () => false) };
      },
      () => ({ ok: undo().ok }),
    ),
  );
  const engine = await open(check);
  expect(await engine.run(g, { say: "x" })).toEqual({ ok: true });
  expect(order).toEqual(["charged", "undo"]);
});

test("R32 the first arm of a race with a value wins, and the losers are aborted", async () => {
  const aborted: string[] = [];
  const wait = op("wait", async ({ ms }: { ms: number }, ctx) => {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      ctx.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        aborted.push(ctx.node);
        reject(new Error("aborted"));
      });
    });
    return { by: ctx.node };
  });
  const g = graph("r", (input: Ref<{ ms: number[] }>) => {
    const ms = each(input.ms);
    const won = race("fastest", {
      slow: () => wait({ ms: derive(ms, (n) => n * 50) }),
      quick: () => wait({ ms }),
      broken: () => ({ by: refuse({ say: "this" }).said }),
    });
    return { by: collect(won.by) };
  });
  const engine = await open(check);
  const result = await (await engine.start(g, { ms: [5, 6] }, { errors: "raise" })).result();
  expect(result).toMatchObject({ status: "completed", output: { by: ["fastest/quick/wait", "fastest/quick/wait"] } });
  expect(aborted).toEqual(["fastest/slow/wait", "fastest/slow/wait"]);
  const none = graph("none", () =>
    race("r", { a: () => refuse({ say: "a" }), b: () => refuse({ say: "b" }, { name: "other" }) }),
  );
  const failed = await (await engine.start(none, undefined)).result();
  expect(failed.errors.at(-1)).toMatchObject({ node: "r", code: "RaceFailed", cause: "r/a/refuse" });
});

test("H30 a recorded choice is taken again after a crash, whatever its condition says now", async () => {
  let answer = true;
  const g = graph("dice", (input: Ref<{ say: string }>) => {
    const first = tell({ say: input.say });
    const chosen = when(
      "chosen",
      derive(first, () => answer),
      () => tell({ say: "yes" }),
      () => tell({ say: "no" }),
    );
    const last = tell({ say: chosen.said }, { name: "last" });
    return { said: last.said };
  });
  answer = true;
  const survey = await undisturbed(g, { say: "x" }, check);
  expect(survey.result).toMatchObject({ output: { said: "yes" } });
  await crashEverywhere(
    g,
    { say: "x" },
    ({ cut, recording, result }) => {
      const decided = recording.records.slice(0, cut).some(([kind]) => kind === 10);
      expect([cut, result]).toMatchObject([cut, { output: { said: decided ? "yes" : "no" } }]);
    },
    {
      check: (run) => {
        checkInvariants(run);
        if (run.end !== null) answer = false;
      },
    },
  );
});

test("pushes of exclusive arms and of iterations are in order", async () => {
  const log = cell("log", append<string>());
  const g = graph("cells", (input: Ref<{ n: number }>) => {
    const l = loop("l", {}, { n: input.n }, (s) => {
      push(log, text`n ${s.n}`);
      return { next: { n: inc({ n: s.n }).n }, until: derive(s.n, (n) => n >= 2) };
    });
    return { log: read(log, { after: [l] }), n: orElse(l.n, 0) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { n: 0 })).toEqual({ log: ["n 0", "n 1", "n 2"], n: 3 });
});
