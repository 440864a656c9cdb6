/** Who is held to be what a process dies of, a workflow or what it called: as far as a journal can tell (RELIABILITY.md). */
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { memory, op, openEngine, workflow, type CallError, type Engine, type Runnable } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { eventually, forever } from "../acceptance/support/gate.ts";

let begun: string[] = [];
/** The process died, as the body did something. */
let died = false;
beforeEach(() => {
  begun = [];
  died = false;
});

const quick = op("quick", async ({ n }: { n: number }) => {
  begun.push("quick");
  // Whatever was recorded when it began is durable by then.
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return { n: n + 1 };
});
const slow = op("slow", async (_input: {}) => {
  begun.push("slow");
  return forever();
});

let store = memory();
let deaths = 0;
/** Records, at each death. */
let recorded: number[] = [];

/** The process dies at this very moment. */
function dies(): Promise<never> {
  deaths++;
  const dead = store;
  void dead.abandon();
  void store.get("r").then((row) => {
    recorded.push(row!.lastSeq);
    died = true;
  });
  return forever();
}

/** One process after the other, until one lives, or so many died. */
async function lastLife(flow: Runnable<{}, unknown>, most = 9): Promise<Engine> {
  store = memory();
  deaths = 0;
  recorded = [];
  const options = { graphs: [flow], warn: () => undefined, check: checkInvariants };
  let engine = await openEngine({ ...options, backend: store });
  const started = await engine.start(flow, {}, { id: "r" });
  let handle: typeof started | undefined = started;
  for (;;) {
    let result: unknown;
    void handle?.result().then(
      (came) => (result = came),
      () => undefined,
    );
    await eventually("it dies, or comes to something", () => died || result !== undefined);
    if (!died || deaths === most) return engine;
    died = false;
    store = store.another();
    engine = await openEngine({ ...options, backend: store });
    handle = engine.recovered[0] ?? (await engine.resume("r"));
  }
}

async function errorsOf(engine: Engine): Promise<unknown> {
  return (await engine.get("r"))?.errors.map(({ node, code }) => [node, code]);
}

test("H11 a body that its process dies of whenever it begins fails at the third time", async () => {
  const flow = workflow("flow", { uses: [quick] }, async (_w, _input: {}) => dies());
  const engine = await lastLife(flow);
  expect([await errorsOf(engine), deaths]).toEqual([[["body", "CrashLoop"]], 3]);
  await engine.close();
});

test("H11 so does one that dies of what its call came to, when nothing else of it is open", async () => {
  const flow = workflow("flow", { uses: [quick] }, async (w, _input: {}) => {
    await w.run(quick, { n: 1 });
    return dies();
  });
  const engine = await lastLife(flow);
  expect([await errorsOf(engine), deaths, begun]).toEqual([[["body", "CrashLoop"]], 4, ["quick", "quick"]]);
  await engine.close();
});

test("an op that is at work beside such a body is held to be it first, and then the body", async () => {
  const flow = workflow("flow", { uses: [quick, slow] }, async (w, _input: {}) => {
    const beside = w.run(slow, {}).catch((error: CallError) => error.code);
    await w.run(quick, { n: 1 });
    await dies();
    return beside;
  });
  const engine = await lastLife(flow);
  const found = [
    ["slow", "CrashLoop"],
    ["body", "CrashLoop"],
  ];
  expect([await errorsOf(engine), deaths]).toEqual([found, 6]);
  await engine.close();
});

test("H11 while what is open only waits nobody is; the run comes no further from death to death, by which it is quarantined", async () => {
  const asks = { ok: { answer: z.boolean() } };
  const flow = workflow("flow", { uses: [quick], asks }, async (w, _input: {}) => {
    const asked = w.interrupt("ok");
    await w.run(quick, { n: 1 });
    await dies();
    return asked;
  });
  const engine = await lastLife(flow, 6);
  expect([await errorsOf(engine), deaths]).toEqual([[], 6]);
  const [, second = 0, ...later] = recorded;
  expect(later).toEqual([1, 2, 3, 4].map((n) => second + n));
  await engine.close();
});
