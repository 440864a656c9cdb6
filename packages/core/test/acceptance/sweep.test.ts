import { expect, test } from "vitest";
import { append, cell, collect, emit, graph, op, push, read, sweep, derive, each, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open } from "./support/engines.ts";
import { gate } from "./support/gate.ts";

test("K8 a sweep in an item aborts the open work of earlier items; later ones and folded pushes stand", async () => {
  const aborted: string[] = [];
  const said: string[] = [];
  const second = gate();
  const hear = op("hear", async function* ({ call: _call }: { call: string }) {
    yield { text: "tell me a story", speech: false };
    await second.opened;
    yield { text: "stop", speech: true };
  });
  const chat = op("chat", async function* ({ prompt }: { prompt: string }, ctx) {
    yield { delta: `${prompt} 1` };
    yield { delta: `${prompt} 2` };
    if (prompt === "stop") return;
    await new Promise<void>((resolve) => {
      ctx.signal.addEventListener("abort", () => {
        aborted.push(prompt);
        resolve();
      });
    });
    yield { delta: "never" };
  });
  const speak = op("speak", async ({ text }: { text: string }) => {
    said.push(text);
    if (text === "tell me a story 2") second.open();
    return { ms: text.length };
  });
  const log = cell("log", append<string>());
  const voice = graph("voice", (input: Ref<{ call: string }>) => {
    const u = hear({ call: input.call });
    const d = chat({ prompt: u.text });
    const pushed = push(log, d.delta);
    const s = speak({ text: d.delta }, { buffer: 16 });
    const swept = sweep("bargeIn", { on: u.speech, cancel: [d, s] });
    emit("said", { ms: s.ms });
    return { said: collect(collect(d.delta)), swept: collect(swept), log: read(log, { after: [pushed] }) };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(voice, { call: "x" })).toEqual({
    said: [
      ["tell me a story 1", "tell me a story 2"],
      ["stop 1", "stop 2"],
    ],
    swept: [0, 1],
    log: ["tell me a story 1", "tell me a story 2", "stop 1", "stop 2"],
  });
  expect(aborted).toEqual(["tell me a story"]);
  expect(said).toEqual(["tell me a story 1", "tell me a story 2", "stop 1", "stop 2"]);
});

test("a sweep of the run ends a stream: what its items left is collected, live and after a crash at every record", async () => {
  const work = op("work", async ({ n }: { n: number }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { n, last: n === 3 };
  });
  const g = graph("enough", (input: Ref<{ upTo: number }>) => {
    const n = each(
      derive(input.upTo, (k) => Array.from({ length: k }, (_, i) => i + 1)),
      { name: "ns" },
    );
    const w = work({ n }, { parallel: 1 });
    const stop = sweep("stop", { on: w.last, cancel: [n] });
    return { done: collect(w.n), stops: collect(stop) };
  });
  await crashEverywhere(
    g,
    { upTo: 6 },
    ({ result }) => expect(result).toMatchObject({ status: "completed", output: { done: [1, 2, 3, 4, 5, 6] } }),
    { check: checkInvariants },
  );
  const engine = await open({ check: checkInvariants });
  const slow = op("slow", async ({ n }: { n: number }, ctx) => {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, n === 1 ? 1 : 5_000);
      ctx.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(new Error("aborted"));
      });
    });
    return { n };
  });
  const signal = op("signal", async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return { stop: true };
  });
  const whole = graph("whole", (input: Ref<{ ns: number[] }>) => {
    const s = slow({ n: each(input.ns) }, { parallel: 3 });
    const swept = sweep("all", { on: signal().stop, cancel: [s] });
    return { done: collect(s.n), swept };
  });
  expect(await engine.run(whole, { ns: [1, 2, 3, 4] })).toEqual({ done: [1], swept: 3 });
});

test("the root cannot be swept", () => {
  const one = op("one", async () => ({ stop: true }));
  expect(() =>
    graph("root", () => {
      const o = one();
      return { n: sweep("s", { on: o.stop, cancel: [o] }) };
    }),
  ).toThrow(/belongs to the run itself/);
});
