/**
 * Random bodies of workflows, as data: a body is an interpreter of its program, and so is the oracle, which needs no engine and
 * no promises.
 */
import {
  graph,
  op,
  workflow,
  type Op,
  type OpCtx,
  type Ref,
  type StandardSchemaV1,
  type Workflow,
} from "../../../src/index.ts";
import { planOf } from "../../../src/build/plan-of.ts";
import type { Dice } from "../../../src/testing/dice.ts";
import type { RandomGraph, Theatre } from "../../../src/testing/random-graph.ts";

export type Step =
  | { readonly do: "run"; readonly callee: CalleeName; readonly marks: readonly ("now" | "random" | "uuid")[] }
  | { readonly do: "sleep" | "ask" | "emit" }
  | { readonly do: "all" | "promises"; readonly branches: readonly Program[]; readonly concurrency: number }
  /** Whichever is through first; what comes of the others makes no difference. */
  | { readonly do: "race"; readonly branches: readonly Program[]; readonly callees: readonly Racer[] }
  | { readonly do: "try"; readonly body: Program; readonly handler: Program }
  | { readonly do: "repeat"; readonly times: number; readonly body: Program };
/** A call that is given up when another one was first. */
type Racer = CalleeName | "question" | "sleep";
export type Program = readonly Step[];

const callees = ["quick", "slow", "shaky", "picky", "part", "inner"] as const;
const racers = [...callees, "question", "sleep"] as const;
type CalleeName = (typeof callees)[number];

export function randomProgram(dice: Dice, depth = 3): Program {
  return Array.from({ length: 1 + dice.below(depth === 3 ? 4 : 3) }, () => randomStep(dice, depth));
}

function randomStep(dice: Dice, depth: number): Step {
  const kind = depth === 0 ? dice.below(55) : dice.below(100);
  if (kind < 40)
    return {
      do: "run",
      callee: dice.of(callees),
      marks: (["now", "random", "uuid"] as const).filter(() => dice.chance(0.2)),
    };
  if (kind < 45) return { do: "sleep" };
  if (kind < 50) return { do: "ask" };
  if (kind < 55) return { do: "emit" };
  const branches = (): Program[] => Array.from({ length: 2 + dice.below(2) }, () => randomProgram(dice, depth - 1));
  if (kind < 75)
    return { do: dice.chance(0.6) ? "all" : "promises", branches: branches(), concurrency: 1 + dice.below(3) };
  if (kind < 78) return { do: "race", branches: branches(), callees: [] };
  if (kind < 82) return { do: "race", branches: [], callees: Array.from({ length: 3 }, () => dice.of(racers)) };
  if (kind < 92) return { do: "try", body: randomProgram(dice, depth - 1), handler: randomProgram(dice, depth - 1) };
  return { do: "repeat", times: 1 + dice.below(3), body: randomProgram(dice, depth - 1) };
}

export function hasStep(program: Program, kind: Step["do"]): boolean {
  return program.some((step) => {
    if (step.do === kind) return true;
    if ("branches" in step) return step.branches.some((branch) => hasStep(branch, kind));
    if (step.do === "try") return hasStep(step.body, kind) || hasStep(step.handler, kind);
    return step.do === "repeat" && hasStep(step.body, kind);
  });
}

function mixed(before: number, result: number): number {
  return (before * 31 + result) % 1009;
}

/** What a callee makes of a number; null: it fails. */
function resultOf(callee: CalleeName, n: number): number | null {
  if (callee === "picky" && n % 3 === 0) return null;
  if (callee === "inner") return innerProgram.reduce((sum, step) => mixed(sum, resultOf(step, sum) ?? 7), n);
  return (n * (callees.indexOf(callee) + 3) + 1) % 1009;
}

const innerProgram: readonly CalleeName[] = ["quick", "picky"];

export class Failed extends Error {}

/** The oracle. @throws Failed */
export function plainly(program: Program, from: number): number {
  return program.reduce(plainStep, from);
}

function plainStep(n: number, step: Step): number {
  if (step.do === "run") {
    const result = resultOf(step.callee, n);
    if (result === null) throw new Failed();
    return mixed(n, result);
  }
  if (step.do === "race") return n;
  if ("branches" in step) return step.branches.map((branch, i) => plainly(branch, n + i)).reduce(mixed, n);
  if (step.do === "repeat")
    return Array.from({ length: step.times }).reduce((now: number) => plainly(step.body, now), n);
  if (step.do !== "try") return n + 1;
  try {
    return plainly(step.body, n);
  } catch {
    return plainly(step.handler, n + 2);
  }
}

const answer: StandardSchemaV1<number, number> = {
  "~standard": {
    version: 1,
    vendor: "millrace",
    validate: (value) => (typeof value === "number" ? { value } : { issues: [{ message: "expected a number" }] }),
  },
};

type Callees = Record<CalleeName, Op<{ n: number; marks: unknown }, { n: number }>>;

function opsOf(theatre: Theatre): Omit<Callees, "inner"> {
  const body =
    (name: CalleeName, waits: number, fails: (attempt: number) => boolean = () => false) =>
    async ({ n }: { n: number; marks: unknown }, ctx: OpCtx) => {
      theatre.enter(ctx);
      for (let i = 0; i < waits; i++) await theatre.wait(ctx);
      if (fails(ctx.attempt)) throw Object.assign(new Error("not yet"), { retryable: true });
      const result = resultOf(name, n);
      if (result === null) throw new Error(`${n} cannot be had`);
      return { n: result };
    };
  const quick = op("quick", body("quick", 0));
  const slow = op("slow", body("slow", 3));
  const shaky = op(
    "shaky",
    { retry: { attempts: 3, initial: 5 } },
    body("shaky", 1, (attempt) => attempt < 3),
  );
  const picky = op("picky", body("picky", 1));
  const first = op("first", body("part", 1));
  const tail = op("tail", body("slow", 2));
  const part = graph("part", (input: Ref<{ n: number; marks: unknown }>) => {
    // Goes on behind what the call comes to.
    tail({ n: input.n, marks: input.marks });
    return { n: first({ n: input.n, marks: input.marks }).n };
  });
  return { quick, slow, shaky, picky, part };
}

async function quickest(calls: (stop: AbortController) => readonly Promise<unknown>[]): Promise<void> {
  const stop = new AbortController();
  await Promise.race(calls(stop)).catch(() => undefined);
  stop.abort();
}

function innerOf(ops: Omit<Callees, "inner">): Callees["inner"] {
  return workflow("inner", { uses: ops }, async (w, { n }: { n: number; marks: unknown }) => {
    let sum = n;
    for (const step of innerProgram) {
      const came = w.run(ops[step as "quick"], { n: sum, marks: w.uuid() }).catch(() => ({ n: 7 }));
      sum = mixed(sum, (await came).n);
    }
    return { n: sum };
  });
}

export function workflowOf(program: Program, theatre: Theatre): Workflow<{ n: number }, { n: number }> {
  const ops = opsOf(theatre);
  const all: Callees = { ...ops, inner: innerOf(ops) };
  return workflow(
    "program",
    { uses: all, asks: { question: { answer } }, emits: ["news"] },
    async (w, input: { n: number }) => {
      const called = async (callee: Racer, n: number, stop: AbortController) => {
        if (callee === "sleep") await w.sleep(10, stop);
        else if (callee === "question") await w.interrupt(callee, { n }, stop);
        else await w.run(all[callee], { n, marks: [] }, stop);
      };
      const play = async (steps: Program, from: number): Promise<number> => {
        let n = from;
        for (const step of steps) n = await playStep(step, n);
        return n;
      };
      const playStep = async (step: Step, n: number): Promise<number> => {
        switch (step.do) {
          case "run": {
            const marks = step.marks.map((mark) => w[mark]());
            return mixed(n, (await w.run(all[step.callee], { n, marks })).n);
          }
          case "sleep":
            await w.sleep(10);
            return n + 1;
          case "ask":
            await w.interrupt("question", { n });
            return n + 1;
          case "emit":
            w.emit("news", { n });
            return n + 1;
          case "all": {
            const { branches, concurrency } = step;
            const results = await w.all(
              branches.map((branch, i) => () => play(branch, n + i)),
              { concurrency },
            );
            return results.reduce(mixed, n);
          }
          case "promises": {
            const results = await Promise.all(step.branches.map((branch, i) => play(branch, n + i)));
            return results.reduce(mixed, n);
          }
          case "race":
            await quickest((stop) => [
              ...step.callees.map((callee) => called(callee, n, stop)),
              ...step.branches.map((branch, i) => play(branch, n + i).catch(() => 0)),
            ]);
            return n;
          case "repeat": {
            let now = n;
            for (let i = 0; i < step.times; i++) now = await play(step.body, now);
            return now;
          }
          case "try":
            try {
              return await play(step.body, n);
            } catch {
              return await play(step.handler, n + 2);
            }
        }
      };
      return { n: await play(program, input.n) };
    },
  );
}

/** As the crash property takes graphs. */
export function caseOf(program: Program, n: number, theatre: Theatre): RandomGraph {
  const made = workflowOf(program, theatre);
  const spec = { input: { n }, errors: "record" } as unknown as RandomGraph["spec"];
  return {
    spec,
    graph: made as unknown as RandomGraph["graph"],
    plan: planOf(made),
    orderFree: false,
    fickle: new Set(),
  };
}
