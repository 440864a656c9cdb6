/** Who follows a run is told which outputs came from the cache. */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  collect,
  each,
  graph,
  memory,
  memoryTraces,
  op,
  openEngine,
  type Observer,
  type Ref,
  type TaskEvent,
} from "../../src/index.ts";
import { readTrace, sqliteTraces } from "../../src/node/index.ts";
import { open } from "./support/engines.ts";
import { folder } from "./support/files.ts";
import { gate } from "./support/gate.ts";

/** `look` is cached; the same word twice is looked up once. */
function words() {
  const ran: string[] = [];
  const look = op("look", { cache: { ttl: "1h" } }, async ({ word }: { word: string }) => {
    ran.push(word);
    return { length: word.length };
  });
  const g = graph("words", (input: Ref<{ words: string[] }>) => ({
    all: collect(look({ word: each(input.words) }).length),
  }));
  return { g, ran };
}

async function tasksOf(events: AsyncIterable<TaskEvent>): Promise<unknown[]> {
  const told: unknown[] = [];
  for await (const { path, task, ...rest } of events)
    told.push([path.replace("words/input.words", ""), task, "attempt" in rest ? rest.attempt : 0, "cached" in rest]);
  return told;
}

test.each(["with", "without"])("the tasks of a run tell its hits, %s a backend", async (which) => {
  const { g, ran } = words();
  const backend = memory();
  const engine = await open({ graphs: [g], ...(which === "with" && { backend }) });
  const handle = await engine.start(g, { words: ["a", "b", "a"] }, { id: "run" });
  const live = await tasksOf(handle.stream("tasks"));
  expect(ran).toEqual(["a", "b"]);
  expect(live).toEqual([
    ["[0]/look", "started", 1, false],
    ["[0]/look", "finished", 1, false],
    ["[1]/look", "started", 1, false],
    ["[1]/look", "finished", 1, false],
    ["[2]/look", "finished", 0, true],
  ]);
  if (which === "without") return;
  // Another engine reads the same from the journal, where the cache is not.
  const other = await open({ graphs: [g], backend: backend.another() });
  expect(await tasksOf(await other.stream("run", "tasks"))).toEqual(live);
});

test("who waits for an equal call that runs is told the same as who finds it kept", async () => {
  const go = gate();
  const slow = op("slow", { cache: { ttl: "1h" } }, async (_i: object) => {
    await go.opened;
    return { x: 1 };
  });
  const finished: Parameters<NonNullable<Observer["finished"]>>[0][] = [];
  const engine = await open({ observer: { finished: (event) => void finished.push(event) } });
  const g = graph("g", (_input: Ref<object>) => ({ x: slow({}).x }));
  const both = Promise.all([engine.run(g, {}), engine.run(g, {})]);
  go.open();
  await both;
  const marks = finished.filter(({ node }) => node === "slow").map(({ attempts, cached }) => [attempts, cached]);
  expect(marks).toEqual([
    [1, undefined],
    [0, true],
  ]);
});

test("a trace has it, in memory and in a file, and a trace file of version 2 gains it", async () => {
  const { g } = words();
  const file = join(folder(), "traces.db");
  const kept = memoryTraces();
  const run = async (id: string): Promise<void> => {
    const engine = await openEngine({ traces: { sinks: [kept, sqliteTraces(file)] } });
    await engine.run(g, { words: ["a", "a"] }, { id });
    await engine.close();
  };
  await run("old");
  const cachedIn = (trace: ReturnType<typeof readTrace>): unknown[] | undefined =>
    trace?.invocations.filter(({ node }) => node === "look").map(({ cached, attempts }) => [cached, attempts]);
  const expected = [
    [false, 1],
    [true, 0],
  ];
  expect(cachedIn(kept.trace("old"))).toEqual(expected);
  expect(cachedIn(readTrace(file, "old"))).toEqual(expected);
  const direct = new DatabaseSync(file);
  direct.exec(
    "ALTER TABLE invocations DROP COLUMN cached; ALTER TABLE runs DROP COLUMN thread; PRAGMA user_version = 2",
  );
  direct.close();
  expect(cachedIn(readTrace(file, "old"))).toEqual([
    [false, 1],
    [false, 0],
  ]);
  await run("new");
  expect(cachedIn(readTrace(file, "new"))).toEqual(expected);
});
