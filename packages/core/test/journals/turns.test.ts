/**
 * H36: journals of state graphs and workflows, replayed for ever. What they say, rebuild and come to may not change, nor may what those who go
 * on with them somewhere in their midst come to.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exportRuns, importRuns, memory, openEngine, type Backend } from "../../src/index.ts";
import type { MemoryBackend } from "../../src/backends/memory.ts";
import { allCarried } from "../../src/journal/carry/all-carried.ts";
import { decode } from "../../src/journal/codec/codec.ts";
import { foldJournal } from "../../src/journal/fold.ts";
import type { RunRow } from "../../src/ports/backend.ts";
import { rowsOf } from "../acceptance/support/journal.ts";
import { inOrder } from "./moved.ts";
import { checkpointsOf, recordSet, sets, told, type Expected } from "./turns/record.ts";
import { ran, tally } from "./turns/ran.ts";
import { toTheEnd, type Story } from "./turns/story.ts";

const stories = Object.entries(sets).flatMap(([set, all]) =>
  all.map((story) => [`${set}/${story.name}`, story] as const),
);

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, file), "utf8");
}

async function imported(file: string): Promise<MemoryBackend> {
  const backend = memory();
  await backend.open("golden");
  await importRuns(backend, async function* () {
    yield* textOf(`${file}.jsonl`).trimEnd().split("\n");
  });
  return backend;
}

function expectedOf(file: string): Expected {
  return decode(textOf(`${file}.expected`).trimEnd()) as Expected;
}

test("H36 a set is recorded once", async () => {
  for (const set of Object.keys(sets)) await expect(recordSet(set)).rejects.toThrow("kept as they are for ever");
  await expect(recordSet("../x")).rejects.toThrow("there are no stories");
});

describe.each(stories)("H36 %s", (file, story) => {
  test("says and rebuilds what it did when it was recorded, and no body runs", async () => {
    ran.length = 0;
    const backend = await imported(file);
    const { ran: _, ...expected } = expectedOf(file);
    expect(await told(backend, story)).toEqual(expected);
    expect(`${(await Array.fromAsync(exportRuns(backend))).join("\n")}\n`).toBe(textOf(`${file}.jsonl`));
    expect(ran).toEqual([]);
  });

  test("cut behind any of its commits, it goes on to the same end, and what was over does not run again", async () => {
    const whole = await imported(file);
    const expected = expectedOf(file);
    const order = await inOrder(whole);
    const cuts: string[] = [];
    for (const [at, { id }] of order.entries()) {
      const { fold } = expected.runs[id]!;
      // What ended it came from outside.
      if (fold.status === "cancelled") continue;
      const commits = (await rowsOf(whole, id)).length;
      for (let commit = 1; commit < commits; commit++) {
        const where = `${id} behind commit ${commit}`;
        const store = await cutBehind(whole, order.slice(0, at + 1), commit);
        const over = (await foldJournal(store, (await store.get(id))!)).finished;
        ran.length = 0;
        expect([where, await goneOn(story, store.another())]).toEqual([where, [fold.status, fold.output]]);
        const due = order.length === 1 ? expected.ran : both(fold.finished, fold.failed);
        expect([where, ...twice(tally(ran), due, over)]).toEqual([where]);
        expect([where, await placesOf(story, store)]).toEqual([where, places(expected.checkpoints, order, at)]);
        cuts.push(where);
      }
    }
    expect(cuts.length).toBeGreaterThan(0);
  });
});

/** The last of these runs as its process died behind that commit. */
async function cutBehind(whole: Backend, runs: readonly RunRow[], commit: number): Promise<MemoryBackend> {
  const store = memory();
  await store.open("cutter");
  const last = runs.at(-1)!;
  const carried = last.thread === null ? [] : await allCarried(whole, last.thread, last.carriedUpTo ?? 0);
  for (const row of runs) {
    const isCut = row === last;
    const journal = (await rowsOf(whole, row.id)).slice(0, isCut ? commit : undefined);
    const { firstSeq, count, chain } = journal.at(-1)!;
    const now = isCut ? ({ status: "queued", endedAt: null, wakeAt: row.createdAt } as const) : {};
    const cut = { ...row, ...now, lastSeq: firstSeq + count - 1, chain };
    const restored = await store.restore({ row: cut, journal, notes: [], carried, blobs: [] });
    expect(restored).toEqual({ type: "restored" });
  }
  return store;
}

async function goneOn({ graph, answer }: Story, backend: Backend): Promise<readonly unknown[]> {
  await using engine = await openEngine({ backend, graphs: [graph], warn: () => undefined });
  const handle = engine.recovered[0]!;
  await toTheEnd(handle, answer);
  const result = await handle.result();
  return [result.status, result.status === "completed" ? result.output : undefined];
}

type Counts = Readonly<Record<string, number>>;

function both(some: Counts, others: Counts): Counts {
  const names = [...Object.keys(some), ...Object.keys(others)];
  return Object.fromEntries(names.map((name) => [name, (some[name] ?? 0) + (others[name] ?? 0)]));
}

/** By whole names of nodes, or by the names that bodies say. */
function times(counts: Counts, body: string): number {
  const pattern = new RegExp(`(^|/)${body}(/asks)?(/body)?$`);
  return Object.entries(counts).reduce((all, [node, count]) => all + (pattern.test(node) ? count : 0), 0);
}

/** Bodies that ran although they were over. */
function twice(again: Counts, due: Counts, over: Counts): string[] {
  return Object.keys(again).filter((body) => again[body]! > times(due, body) - times(over, body));
}

function places(checkpoints: Expected["checkpoints"], order: readonly RunRow[], at: number): unknown[] {
  const known = new Set(order.slice(0, at + 1).map(({ id }) => id));
  return checkpoints
    .filter(({ runId }) => known.has(runId))
    .map(({ id, parent, state, next }) => [id, parent, state, next]);
}

async function placesOf({ graph, thread }: Story, store: MemoryBackend): Promise<unknown[]> {
  if (thread === undefined) return [];
  return (await checkpointsOf(store, graph, thread)).map(({ id, parent, state, next }) => [id, parent, state, next]);
}
