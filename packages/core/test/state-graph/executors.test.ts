/** Where tasks of state graphs run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import {
  append,
  inlineTasks,
  memory,
  oneAtATime,
  stateGraph,
  taskRunner,
  tasksByName,
  type RanHere,
  type StateGraph,
  type TaskExecutor,
  type TaskWork,
} from "../../src/index.ts";
import { encodeAs } from "../../src/journal/encode-as.ts";
import { taskPool } from "../../src/node/index.ts";
import { VirtualClock } from "../acceptance/support/clock.ts";
import { open } from "../acceptance/support/engines.ts";
import { far } from "./support/far-graph.ts";
import { folder, Gate, places } from "./support/places.ts";
import { ProcessTasks } from "./support/process-tasks.ts";

const graphs = new URL("./support/far-graph.ts", import.meta.url);
const process_ = new ProcessTasks();
const threads = taskPool({ module: graphs, threads: 2 });
process_.open();
threads.open();
afterAll(async () => {
  await Promise.all([process_.close(), threads.close()]);
});

/** Counts what is asked of it. */
function counting(executor: TaskExecutor): TaskExecutor & { readonly inputs: string[] } {
  const inputs: string[] = [];
  const counted = (work: TaskWork): TaskWork => ({
    ...work,
    input: () => {
      inputs.push(`${work.graph}/${work.node}`);
      return work.input();
    },
  });
  return {
    inputs,
    open: () => executor.open(),
    close: () => executor.close(),
    run: (work) => executor.run(counted(work)),
  };
}

async function linesOf(file: string, count: number): Promise<readonly string[]> {
  for (let waited = 0; waited < 30_000; waited += 10) {
    const lines = readOr(file).split("\n").slice(0, -1);
    if (lines.length >= count) return lines;
    await sleep(10);
  }
  throw new Error(`there are not ${count} lines in ${file}`);
}

function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const items = [40, 1, 20];
const elsewhere: readonly (readonly [string, TaskExecutor])[] = [
  ["a process of its own", process_],
  ["worker threads", threads],
];

describe.each(elsewhere)("in %s", (where, executor) => {
  test.each(places)(
    "S18 tasks are found by graph and node, and fold in the order they were queued, on %s",
    async (_, place) => {
      const tasks = counting(executor);
      const engine = await open({ backend: place(), graphs: [far], tasks });
      const handle = await engine.start(far, { items });
      const told: string[] = [];
      for await (const { name, value } of handle.stream("custom")) told.push(`${name} ${String(value)}`);
      const { done } = await handle.output();
      expect(done.map(({ item }) => item)).toEqual(items);
      expect(done.every((one) => (one.pid === pid) === (where === "worker threads"))).toBe(true);
      expect(new Set(told)).toEqual(new Set(items.map((item) => `working ${item}`)));
      // An input is encoded where it travels, and only once.
      expect(tasks.inputs).toEqual(items.map(() => "far/work"));
    },
  );
});

test.each([
  ["inline", inlineTasks()],
  ["one at a time", oneAtATime()],
] as const)("S18 %s: nothing is encoded, and what is given folds as it is", async (_name, executor) => {
  const tasks = counting(executor);
  const engine = await open({ graphs: [far], tasks });
  const { done } = await engine.run(far, { items });
  expect(done).toEqual(items.map((item) => ({ item, pid })));
  expect(tasks.inputs).toEqual([]);
});

test("one at a time begins a task when the one before is through, in the order they were queued", async () => {
  const seen: string[] = [];
  const graph = stateGraph("turns", { state: { log: append<string>() }, nodes: ["a", "b"] })
    .node("a", async (_state, to) => {
      seen.push("a begins");
      await new Promise((resolve) => setImmediate(resolve));
      seen.push("a ends");
      return to.write({ log: "a" });
    })
    .node("b", (_state, to) => {
      seen.push("b");
      return to.write({ log: "b" });
    })
    .entry("a", "b")
    .compile();
  const engine = await open({ graphs: [graph], tasks: oneAtATime() });
  expect(await engine.run(graph, {})).toEqual({ log: ["a", "b"] });
  expect(seen).toEqual(["a begins", "a ends", "b"]);
});

test("S18 a process that is killed in the middle of a task fails that try; the next one runs in another process", async () => {
  const file = join(folder(), "seen");
  const engine = await open({ backend: memory(), graphs: [far], tasks: process_ });
  const handle = await engine.start(far, { items: [7], file });
  const [first] = await linesOf(file, 1);
  process.kill(Number(first), "SIGKILL");
  const { done } = await handle.output();
  expect(done.map(({ item }) => item)).toEqual([7]);
  expect(await linesOf(file, 2)).toEqual([first, String(done[0]!.pid)]);
  expect(String(done[0]!.pid)).not.toBe(first);
});

test("S18 without another try, a run whose task was killed fails and says so", async () => {
  const file = join(folder(), "seen");
  const engine = await open({ backend: memory(), graphs: [far], tasks: process_ });
  const handle = await engine.start(far, { items: [-1], file });
  const [first] = await linesOf(file, 1);
  process.kill(Number(first), "SIGKILL");
  const result = await handle.result();
  expect(result).toMatchObject({ status: "failed", errors: [{ node: "superstep/node/once/body" }] });
  expect(result.errors[0]!.message).toBe("the process of the task is gone");
});

test("S18 who cancels a run reaches a body elsewhere", async () => {
  const file = join(folder(), "seen");
  const engine = await open({ backend: memory(), graphs: [far], tasks: process_ });
  const handle = await engine.start(far, { items: [7], file });
  await linesOf(file, 1);
  await handle.cancel();
  expect((await linesOf(file, 2)).at(-1)).toBe("aborted");
});

type Log = StateGraph<{ readonly log: string[] }, { readonly log?: string }>;

function loose(): Log {
  return stateGraph("loose", { state: { log: append<string>() }, nodes: ["say"] })
    .node("say", (_state, to) => to.write({ log: "said" }), { retry: { attempts: 3, initial: 0, on: () => true } })
    .compile();
}

test.each([
  ["no text of a journal", "not what the journal writes"],
  ["no steps", encodeAs("output", { steps: "none" })],
  ["a step of no kind", encodeAs("output", { steps: [{ write: { log: "good" } }, { leap: 1 }] })],
  ["a step of two kinds", encodeAs("output", { steps: [{ write: { log: "good" }, goto: null }] })],
  ["something else that claims to have run here", { steps: [{ goto: 7 }] } as unknown as RanHere],
])("S18 an undecodable step fails the run, and is not tried again: %s", async (_what, outcome) => {
  let tries = 0;
  const run = (): ReturnType<TaskExecutor["run"]> => {
    tries++;
    return { outcome: Promise.resolve(outcome), abandon: () => undefined };
  };
  const engine = await open({ graphs: [], tasks: { open: () => undefined, close: async () => undefined, run } });
  const result = await (await engine.start(loose(), {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "UndecodableStep" }] });
  expect(result.errors[0]!.message).toContain("node say of state graph loose");
  expect(tries).toBe(1);
});

test("S18 an event that cannot be read fails the run too", async () => {
  const outcome = encodeAs("output", { steps: [] });
  const run = ({ tell }: TaskWork): ReturnType<TaskExecutor["run"]> => {
    tell("not what the journal writes");
    return { outcome: Promise.resolve(outcome), abandon: () => undefined };
  };
  const engine = await open({ tasks: { open: () => undefined, close: async () => undefined, run } });
  const result = await (await engine.start(loose(), {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "UndecodableStep" }] });
});

test("a time limit counts from when a task begins, not from when it is queued", async () => {
  const clock = new VirtualClock();
  const gate = new Gate();
  const graph = stateGraph("timed", { state: { log: append<string>() }, nodes: ["a", "b"] })
    .node(
      "a",
      async (_state, to) => {
        await clock.sleep(900);
        return to.write({ log: "a" });
      },
      { timeout: { run: "1s" } },
    )
    .node(
      "b",
      async (_state, to) => {
        await clock.sleep(900);
        gate.open();
        return to.write({ log: "b" });
      },
      { timeout: { run: "1s" } },
    )
    .entry("a", "b")
    .compile();
  const engine = await open({ clock, tasks: oneAtATime() });
  const handle = await engine.start(graph, {});
  await clock.advance(950);
  await clock.advance(950);
  await gate.opened;
  expect(await handle.output()).toEqual({ log: ["a", "b"] });

  const late = stateGraph("late", { state: { log: append<string>() }, nodes: ["never"] })
    .node(
      "never",
      async (_state, to, run) => {
        await new Promise((resolve) => run.signal.addEventListener("abort", resolve));
        return to.write({ log: "too late" });
      },
      { timeout: { run: "1s" } },
    )
    .compile();
  const limited = await engine.start(late, {});
  await clock.advance(1_000);
  expect(await limited.result()).toMatchObject({ status: "failed", errors: [{ code: "Timeout" }] });
});

test("a step that comes back is checked as one of a body here is", async () => {
  const outcome = encodeAs("output", { steps: [{ write: { nothing: 1 } }] });
  const run = (): ReturnType<TaskExecutor["run"]> => ({ outcome: Promise.resolve(outcome), abandon: () => undefined });
  const engine = await open({ tasks: { open: () => undefined, close: async () => undefined, run } });
  const result = await (await engine.start(loose(), {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "UnknownField" }] });
});

test("a task that is sent to where nobody knows it is refused by its name", async () => {
  const runner = taskRunner([far]);
  expect(runner.tasks).toEqual([
    { graph: "far", node: "work" },
    { graph: "far", node: "hang" },
    { graph: "far", node: "once" },
  ]);
  const tasks: TaskExecutor = {
    open: () => undefined,
    close: async () => undefined,
    run: ({ graph, node, input, told }) => ({
      outcome: runner.run({ graph, node, input: input(), told: told() }),
      abandon: () => undefined,
    }),
  };
  const engine = await open({ tasks });
  const result = await (await engine.start(loose(), {})).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ code: "NoSuchTask" }] });
  expect(result.errors[0]!.message).toContain("far/work, far/hang, far/once");
});

test("an executor is chosen by node, then by graph, then for the rest; each is opened and closed once per engine", async () => {
  const told: string[] = [];
  const executor = (name: string): TaskExecutor => {
    const inline = inlineTasks();
    return {
      open: () => void told.push(`${name} opened`),
      run: (work) => {
        told.push(`${name} ran ${work.graph}/${work.node}`);
        return inline.run(work);
      },
      close: async () => void told.push(`${name} closed`),
    };
  };
  const child = stateGraph("child", { state: { log: append<string>() }, nodes: ["inner"] })
    .node("inner", (_state, to) => to.write({ log: "inner" }))
    .compile();
  const graph = stateGraph("parent", { state: { log: append<string>() }, nodes: ["a", "b", "sub"] })
    .node("a", (_state, to) => to.write({ log: "a" }))
    .node("b", (_state, to) => to.write({ log: "b" }))
    .subgraph("sub", child, { enter: () => ({}), leave: ({ log }) => ({ log: log.join() }) })
    .entry("a")
    .edge("a", "b")
    .edge("b", "sub")
    .compile();
  const one = executor("one");
  const tasks = tasksByName({ "parent/b": one, "parent/nobody": one, parent: executor("graph") }, executor("rest"));
  const engine = await open({ tasks });
  expect(await engine.run(graph, {})).toEqual({ log: ["a", "b", "inner"] });
  await engine.close();
  expect(told).toEqual([
    "one opened",
    "graph opened",
    "rest opened",
    "graph ran parent/a",
    "one ran parent/b",
    "rest ran child/inner",
    "one closed",
    "graph closed",
    "rest closed",
  ]);
  expect(() => tasksByName({ parent: 7 as never })).toThrow(expect.objectContaining({ code: "InvalidOption" }));
  expect(() => tasksByName({ parent: {} as never })).toThrow(expect.objectContaining({ code: "InvalidOption" }));
});
