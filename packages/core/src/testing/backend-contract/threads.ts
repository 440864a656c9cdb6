import assert from "node:assert/strict";
import type { Backend, RunFilter } from "../../ports/backend.ts";
import type { CarriedRow } from "../../ports/thread.ts";
import { appendTo, hostileNames, mustGet, newRun, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A run of the thread that ends and leaves this. */
async function turn(backend: Backend, id: string, whole: boolean, text: string, thread = "t"): Promise<void> {
  const run = await started(backend, id, { thread });
  const carry = { whole, bytes: bytesOf(text) };
  assert.deepEqual(await backend.append(appendTo(run, { status: "completed", release: true, carry })), { type: "ok" });
}

function plain(rows: readonly CarriedRow[]): unknown[] {
  return rows.map(({ n, runId, whole, bytes }) => [n, runId, whole, new TextDecoder().decode(bytes)]);
}

export const threadCases: readonly ContractCase[] = [
  {
    title: "B10 a thread has one run that has not ended; the next one may start when it has",
    async play(scene) {
      const [a, b] = [await scene.open("a"), await scene.open("b")];
      const first = await started(a, "r1", { thread: "t" });
      assert.equal(first.thread, "t");
      const busy = await b.create(newRun("r2", { thread: "t" }));
      assert.deepEqual([busy.type, busy.type === "busy" && busy.row.id], ["busy", "r1"]);
      assert.equal(await b.get("r2"), undefined);
      assert.equal((await b.create(newRun("r3", { thread: "u" }))).type, "created");
      assert.equal((await b.create(newRun("r4"))).type, "created");
      for (const status of ["interrupted", "drained", "quarantined"] as const) {
        await a.append(appendTo(await mustGet(a, "r1"), { status }));
        assert.equal((await b.create(newRun("r2", { thread: "t" }))).type, "busy", status);
      }
      await a.append(appendTo(await mustGet(a, "r1"), { status: "failed", release: true }));
      assert.equal((await b.create(newRun("r2", { thread: "t" }))).type, "created");
    },
  },
  {
    title: "B10 of twenty starts in one thread at once one is created",
    async play(scene) {
      const engines = [await scene.open("a"), await scene.open("b")];
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => engines[i % 2]!.create(newRun(`r${i}`, { thread: "t" }))),
      );
      assert.equal(results.filter(({ type }) => type === "created").length, 1);
      assert.equal(results.filter(({ type }) => type === "busy").length, 19);
    },
  },
  {
    title: "R25 what a run carries on comes with its end, in order, from the last whole row on",
    async play(scene) {
      const backend = await scene.open("a");
      assert.deepEqual(await backend.carried("t"), []);
      await turn(backend, "r1", true, "one");
      await turn(backend, "r2", false, "two");
      assert.deepEqual(plain(await backend.carried("t")), [
        [1, "r1", true, "one"],
        [2, "r2", false, "two"],
      ]);
      await turn(backend, "r3", true, "three");
      await turn(backend, "r4", false, "four");
      assert.deepEqual(plain(await backend.carried("t")), [
        [3, "r3", true, "three"],
        [4, "r4", false, "four"],
      ]);
      assert.deepEqual(plain(await backend.carried("t", 2)), [
        [1, "r1", true, "one"],
        [2, "r2", false, "two"],
      ]);
      assert.deepEqual(plain(await backend.carried("t", 3)), [[3, "r3", true, "three"]]);
      const from = async (upTo: number | undefined, row: number): Promise<number[]> =>
        (await backend.carried("t", upTo, row)).map(({ n }) => n);
      assert.deepEqual([await from(undefined, 4), await from(undefined, 2), await from(2, 2)], [[4], [3, 4], [2]]);
      assert.deepEqual([await from(undefined, 5), await from(2, 3)], [[], []]);
    },
  },
  {
    title: "B10 R25 a run is created only over the carried row that its creator knows, and remembers which that was",
    async play(scene) {
      const backend = await scene.open("a");
      assert.equal((await started(backend, "r0", { thread: "t", carriedUpTo: 0 })).carriedUpTo, 0);
      const carry = { whole: true, bytes: bytesOf("x") };
      await backend.append(appendTo(await mustGet(backend, "r0"), { status: "completed", release: true, carry }));
      assert.deepEqual(await backend.create(newRun("r1", { thread: "t", carriedUpTo: 0 })), { type: "moved" });
      assert.equal(await backend.get("r1"), undefined);
      assert.equal((await started(backend, "r1", { thread: "t", carriedUpTo: 1 })).carriedUpTo, 1);
      const busy = await backend.create(newRun("r2", { thread: "t", carriedUpTo: 0 }));
      assert.equal(busy.type, "busy");
      await backend.append(appendTo(await mustGet(backend, "r1"), { status: "failed", release: true }));
      assert.equal((await started(backend, "r2", { thread: "t" })).carriedUpTo, 1);
    },
  },
  {
    title:
      "B16 the runs of a thread are in the order they came to it, whatever the clocks of those who started them said",
    async play(scene) {
      const backend = await scene.open("a");
      const carry = { whole: true, bytes: bytesOf("x") };
      for (const [id, createdAt, status] of [
        ["r1", 5_000, "completed"],
        ["r2", 1_000, "failed"],
        ["r3", 9_000, "failed"],
        ["r4", 3_000, "completed"],
        ["r5", 2_000, "cancelled"],
      ] as const) {
        const run = await started(backend, id, { thread: "t", createdAt });
        const left = status === "completed" ? { carry } : {};
        await backend.append(appendTo(run, { status, release: true, ...left }));
      }
      await started(backend, "other", { thread: "u" });
      const ids = async (filter: RunFilter): Promise<string[]> => (await backend.list(filter)).map(({ id }) => id);
      assert.deepEqual(await ids({ thread: "t" }), ["r5", "r4", "r3", "r2", "r1"]);
      assert.deepEqual(await ids({ thread: "t", limit: 2 }), ["r5", "r4"]);
      assert.deepEqual(await ids({ thread: "t", carriedUntil: 1 }), ["r4", "r3", "r2", "r1"]);
      assert.deepEqual(await ids({ thread: "t", carriedUntil: 0, graph: "orders" }), ["r1"]);
      assert.deepEqual(await ids({ thread: "t", status: ["failed"] }), ["r3", "r2"]);
    },
  },
  {
    title: "B16 a run that names the one it follows is created behind that one only",
    async play(scene) {
      const backend = await scene.open("a");
      assert.deepEqual(await backend.create(newRun("r1", { thread: "t", follows: "nobody" })), { type: "moved" });
      assert.equal((await started(backend, "r1", { thread: "t", follows: null })).carriedUpTo, 0);
      assert.equal((await backend.create(newRun("r2", { thread: "t", follows: "r1" }))).type, "busy");
      await backend.append(appendTo(await mustGet(backend, "r1"), { status: "failed", release: true }));
      for (const follows of [null, "r0"])
        assert.deepEqual(await backend.create(newRun("r2", { thread: "t", follows })), { type: "moved" });
      assert.equal(await backend.get("r2"), undefined);
      assert.equal((await started(backend, "r2", { thread: "t", follows: "r1", carriedUpTo: 0 })).id, "r2");
      await backend.append(appendTo(await mustGet(backend, "r2"), { status: "failed", release: true }));
      assert.deepEqual(await backend.create(newRun("r3", { thread: "t", follows: "r1" })), { type: "moved" });
      const both = await Promise.all(
        ["r3", "r4"].map((id) => backend.create(newRun(id, { thread: "t", follows: "r2" }))),
      );
      assert.deepEqual(both.map(({ type }) => type).toSorted(), ["busy", "created"]);
      assert.equal((await started(backend, "loose", { follows: "r1" })).thread, null);
    },
  },
  {
    title: "S10 a thread that is pruned whole has never been; one with a run that has not ended keeps what it carries",
    async play(scene) {
      const backend = await scene.open("a");
      const prune = (limit = 100): Promise<unknown> =>
        backend.prune({ thread: "t", endedBefore: Number.MAX_SAFE_INTEGER, limit, blobsBefore: 0 });
      for (const id of ["r1", "r2", "r3"]) await turn(backend, id, id === "r1", id);
      await turn(backend, "u1", true, "of u", "u");
      assert.deepEqual(await prune(1), { runs: 1, blobs: 0 });
      assert.equal((await backend.carried("t")).length, 3);
      await started(backend, "r4", { thread: "t" });
      assert.deepEqual(await prune(), { runs: 2, blobs: 0 });
      assert.deepEqual([(await backend.carried("t")).length, (await mustGet(backend, "r4")).carriedUpTo], [3, 3]);
      await backend.append(appendTo(await mustGet(backend, "r4"), { status: "cancelled", release: true }));
      assert.deepEqual(await prune(), { runs: 1, blobs: 0 });
      assert.deepEqual([await backend.carried("t"), await backend.list({ thread: "t" })], [[], []]);
      assert.equal((await started(backend, "r5", { thread: "t", carriedUpTo: 0, follows: null })).carriedUpTo, 0);
      assert.deepEqual(plain(await backend.carried("u")), [[1, "u1", true, "of u"]]);
    },
  },
  {
    title: "R25 a lost append carries nothing, nor does a run without a thread",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r", { thread: "t" });
      const carry = { whole: true, bytes: bytesOf("x") };
      await backend.append(appendTo(run, { epoch: 7, status: "completed", carry }));
      assert.deepEqual(await backend.carried("t"), []);
      const loose = await started(backend, "loose");
      await backend.append(appendTo(loose, { status: "completed", release: true, carry }));
      assert.equal((await mustGet(backend, "loose")).status, "completed");
      assert.deepEqual(await backend.carried("t"), []);
    },
  },
  {
    title: "threads are told apart, whatever they are called, and found by name",
    async play(scene) {
      const backend = await scene.open("a");
      for (const [i, thread] of hostileNames.entries()) await turn(backend, `r${i}`, true, `of ${i}`, thread);
      for (const [i, thread] of hostileNames.entries()) {
        assert.deepEqual(plain(await backend.carried(thread)), [[1, `r${i}`, true, `of ${i}`]]);
        assert.deepEqual(
          (await backend.list({ thread })).map(({ id }) => id),
          [`r${i}`],
        );
      }
    },
  },
];
