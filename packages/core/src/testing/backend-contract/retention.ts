import assert from "node:assert/strict";
import type { Backend, PruneRequest, RunStatus } from "../../ports/backend.ts";
import { appendTo, mustGet, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

const late = 9_999_999_999_999;

function asking(changes: Partial<PruneRequest> = {}): PruneRequest {
  return { endedBefore: late, limit: 100, blobsBefore: 0, ...changes };
}

async function ended(backend: Backend, id: string, at: number, status: RunStatus = "completed"): Promise<void> {
  await backend.append(appendTo(await started(backend, id), { status, release: true, at }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function ids(backend: Backend): Promise<string[]> {
  return (await backend.list()).map(({ id }) => id).toSorted();
}

export const retentionCases: readonly ContractCase[] = [
  {
    title: "H27 only runs that have ended are pruned, however old the others are",
    async play(scene) {
      const backend = await scene.open("a");
      for (const status of ["interrupted", "drained", "quarantined", "needs_review", "queued"] as const)
        await ended(backend, status, 1_000, status);
      await started(backend, "running");
      for (const status of ["completed", "failed", "cancelled", "discarded"] as const)
        await ended(backend, status, 1_000, status);
      assert.deepEqual(await backend.prune(asking()), { runs: 4, blobs: 0 });
      const left = ["drained", "interrupted", "needs_review", "quarantined", "queued", "running"];
      assert.deepEqual(await ids(backend), left);
      for (const id of left) assert.ok((await readAll(backend, id)).length > 0);
    },
  },
  {
    title: "prunes by age, status and graph, in portions",
    async play(scene) {
      const backend = await scene.open("a");
      for (let i = 0; i < 5; i += 1) await ended(backend, `r${i}`, 1_000 * (i + 1));
      await ended(backend, "failed", 1_000, "failed");
      assert.deepEqual(await backend.prune(asking({ endedBefore: 3_000, statuses: ["failed"] })), {
        runs: 1,
        blobs: 0,
      });
      assert.deepEqual(await backend.prune(asking({ graph: "nobody's" })), { runs: 0, blobs: 0 });
      assert.deepEqual(await backend.prune(asking({ endedBefore: 3_000 })), { runs: 2, blobs: 0 });
      assert.deepEqual(await ids(backend), ["r2", "r3", "r4"]);
      assert.equal((await backend.prune(asking({ limit: 2 }))).runs, 2);
      assert.equal((await backend.prune(asking({ limit: 2 }))).runs, 1);
      assert.equal((await backend.prune(asking({ limit: 2 }))).runs, 0);
    },
  },
  {
    title: "what is pruned leaves nothing behind, and its id is free",
    async play(scene) {
      const backend = await scene.open("a");
      const labels = { user: "u-1" };
      const run = await started(backend, "r", { labels, thread: "t" });
      await backend.post({
        runId: "r",
        kind: "answer",
        key: "q",
        bytes: new Uint8Array(1),
        by: null,
        at: 1,
        wakes: [],
      });
      await backend.append(appendTo(run, { status: "completed", release: true, at: 1_000 }));
      assert.equal((await backend.prune(asking())).runs, 1);
      assert.equal(await backend.get("r"), undefined);
      assert.deepEqual(await readAll(backend, "r"), []);
      assert.deepEqual(await backend.inbox("r"), []);
      assert.deepEqual(await backend.list({ labels }), []);
      const again = await started(backend, "r");
      assert.deepEqual([again.labels, again.thread, again.lastSeq], [null, null, 1]);
      assert.deepEqual(await backend.inbox("r"), []);
      assert.deepEqual((await readAll(backend, "r")).length, 1);
    },
  },
  {
    title: "R25 pruned runs leave what their thread carries on",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r", { thread: "t" });
      const carry = { whole: true, bytes: new Uint8Array([1]) };
      await backend.append(appendTo(run, { status: "completed", release: true, at: 1_000, carry }));
      await backend.prune(asking());
      assert.deepEqual(
        (await backend.carried("t")).map(({ n, runId }) => [n, runId]),
        [[1, "r"]],
      );
    },
  },
  {
    title: "R25 B11 with its runs a thread loses the carried rows that no run that is left is read from",
    async play(scene) {
      const backend = await scene.open("a");
      // Numbers of rows: whole ones are 1, 4 and 7.
      for (let n = 1; n <= 8; n += 1) {
        const run = await started(backend, `r${n}`, { thread: "t" });
        assert.equal(run.carriedUpTo, n - 1);
        const carry = { whole: n % 3 === 1, bytes: new Uint8Array([n]) };
        await backend.append(appendTo(run, { status: "completed", release: true, at: 1_000 * n, carry }));
      }
      const kept = async (upTo?: number): Promise<number[]> => (await backend.carried("t", upTo)).map(({ n }) => n);
      await backend.prune(asking({ limit: 4 }));
      // What r5 is read from is there; it was begun over row 4.
      assert.deepEqual([await kept(3), await kept(4), await kept(6), await kept()], [[], [4], [4, 5, 6], [7, 8]]);
      await started(backend, "rests", { thread: "t" });
      await backend.prune(asking());
      assert.deepEqual([await kept(6), await kept()], [[], [7, 8]]);
      const rests = await mustGet(backend, "rests");
      assert.equal(rests.carriedUpTo, 8);
      const carry = { whole: false, bytes: new Uint8Array([9]) };
      await backend.append(appendTo(rests, { status: "completed", release: true, at: 9_000, carry }));
      assert.deepEqual(
        [await kept(8), await kept()],
        [
          [7, 8],
          [7, 8, 9],
        ],
      );
      await backend.prune(asking());
      assert.deepEqual(await kept(), [7, 8, 9]);
      assert.equal((await started(backend, "next", { thread: "t" })).carriedUpTo, 9);
    },
  },
  {
    title: "H25 a blob goes when the last run that names it has gone, and not before",
    async play(scene) {
      const backend = await scene.open("a");
      for (const hash of ["first", "shared", "nobody's"]) await backend.putBlob(hash, new Uint8Array(10));
      const one = await started(backend, "one", { blobs: ["first", "shared"] });
      const two = await started(backend, "two");
      await backend.append(appendTo(two, { blobs: ["shared", "shared"] }));
      await backend.append(appendTo(one, { status: "completed", release: true, at: 1_000 }));
      assert.deepEqual(await backend.prune(asking({ limit: 0, blobsBefore: late })), { runs: 0, blobs: 1 });
      assert.deepEqual(await backend.prune(asking({ blobsBefore: late })), { runs: 1, blobs: 1 });
      assert.equal(await backend.getBlob("first"), undefined);
      assert.equal(await backend.getBlob("nobody's"), undefined);
      assert.equal((await backend.getBlob("shared"))?.byteLength, 10);
      const row = await mustGet(backend, "two");
      await backend.append(appendTo(row, { status: "failed", release: true, at: 1_000 }));
      assert.deepEqual(await backend.prune(asking({ blobsBefore: late })), { runs: 1, blobs: 1 });
      assert.equal(await backend.getBlob("shared"), undefined);
    },
  },
  {
    title: "H25 a blob whose row may be on its way is kept, and one that is stored again counts as new",
    async play(scene) {
      const backend = await scene.open("a");
      await backend.putBlob("young", new Uint8Array(1));
      assert.deepEqual(await backend.prune(asking({ blobsBefore: 1_000 })), { runs: 0, blobs: 0 });
      assert.equal((await backend.getBlob("young"))?.byteLength, 1);
      await pause(100);
      const between = Date.now();
      await pause(100);
      await backend.putBlob("young", new Uint8Array(1));
      assert.deepEqual(await backend.prune(asking({ blobsBefore: between })), { runs: 0, blobs: 0 });
    },
  },
  {
    title: "stats count what is there",
    async play(scene) {
      const backend = await scene.open("a");
      const empty = await backend.stats();
      assert.deepEqual([empty.runs, empty.journalRows, empty.owners], [{}, 0, 1]);
      await ended(backend, "r1", 1_000);
      await started(backend, "r2", { thread: "t" });
      await backend.putBlob("b", new Uint8Array(1_000));
      await backend.post({ runId: "r2", kind: "drain", key: "", bytes: new Uint8Array(0), by: null, at: 1, wakes: [] });
      const stats = await backend.stats();
      assert.deepEqual({ ...stats.runs }, { completed: 1, running: 1 });
      assert.deepEqual([stats.journalRows, stats.blobs, stats.blobBytes, stats.notes], [3, 1, 1_000, 1]);
      assert.ok(stats.journalBytes > 0);
      assert.ok(stats.bytes === null || stats.bytes > 0);
    },
  },
];
