import assert from "node:assert/strict";
import type { Backend, Compaction, CompactResult } from "../../ports/backend.ts";
import { appendTo, holes, journalRow, mustGet, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

/** For a backend that keeps no snapshots, or compacts nothing, there is nothing to hold. */
function canCompact({ noteSnapshot, compact }: Backend): boolean {
  return noteSnapshot !== undefined && compact !== undefined;
}

/** A run of rows 1, 2, 3–5 and 6. */
async function longRun(backend: Backend, id: string): Promise<void> {
  await started(backend, id);
  await backend.append(appendTo(await mustGet(backend, id)));
  await backend.append(appendTo(await mustGet(backend, id), { row: journalRow(3, 3) }));
  await backend.append(appendTo(await mustGet(backend, id)));
}

function upTo(runId: string, count: number, changes: Partial<Compaction> = {}): Compaction {
  return { runId, row: journalRow(1, count, `instead of 1 to ${count}`), forget: [], lastSeq: 6, ...changes };
}

async function compact(backend: Backend, request: Compaction): Promise<CompactResult["type"] | undefined> {
  return (await backend.compact?.(request))?.type;
}

export const compactionCases: readonly ContractCase[] = [
  {
    title: "B13 a snapshot that was noted is told with its run, and only ever the last one that there is",
    async play(scene) {
      const backend = await scene.open("a");
      if (!canCompact(backend)) return;
      await longRun(backend, "r");
      assert.equal((await mustGet(backend, "r")).snapshotSeq, undefined);
      for (const [seq, known] of [
        [3, 3],
        [2, 3],
        [4, 3],
        [9, 3],
        [6, 6],
      ] as const) {
        await backend.noteSnapshot?.("r", seq);
        assert.equal((await mustGet(backend, "r")).snapshotSeq, known);
      }
      await backend.noteSnapshot?.("nobody's", 1);
      await scene.crash(backend);
      const other = await scene.open("b");
      const [claimed] = await other.claim({ statuses: ["running"], limit: 1, at: 3_000 });
      assert.equal(claimed?.snapshotSeq, 6);
      await other.append(appendTo(claimed));
      assert.equal((await other.list())[0]?.snapshotSeq, 6);
    },
  },
  {
    title: "B14 one row stands for the first ones, those behind are as they were, and the run goes on",
    async play(scene) {
      const backend = await scene.open("a");
      if (!canCompact(backend)) return;
      await longRun(backend, "r");
      await longRun(backend, "beside");
      const before = await readAll(backend, "beside");
      assert.equal(await compact(backend, upTo("r", 2)), "compacted");
      assert.equal(await compact(backend, upTo("r", 5)), "compacted");
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1, 5, "instead of 1 to 5"), journalRow(6)]);
      assert.deepEqual(await readAll(backend, "r", 6), [journalRow(6)]);
      assert.deepEqual(await readAll(backend, "r", 4), [journalRow(1, 5, "instead of 1 to 5"), journalRow(6)]);
      const row = await mustGet(backend, "r");
      assert.deepEqual([row.lastSeq, row.chain, row.epoch], [6, journalRow(6).chain, 1]);
      assert.equal((await backend.append(appendTo(row))).type, "ok");
      assert.deepEqual(holes(await readAll(backend, "r"), 7), []);
      assert.deepEqual(await readAll(backend, "beside"), before);
    },
  },
  {
    title: "B14 what does not end at a row, leaves nothing, or is of no run is refused and changes nothing",
    async play(scene) {
      const backend = await scene.open("a");
      if (!canCompact(backend)) return;
      await longRun(backend, "r");
      const before = await readAll(backend, "r");
      for (const count of [3, 4, 6, 7]) assert.equal(await compact(backend, upTo("r", count)), "refused");
      assert.equal(await compact(backend, upTo("nobody's", 2)), "refused");
      assert.deepEqual(await readAll(backend, "r"), before);
    },
  },
  {
    title: "B14 blobs that are forgotten can be pruned, unless another run names them; not if the run went on since",
    async play(scene) {
      const backend = await scene.open("a");
      if (!canCompact(backend)) return;
      for (const hash of ["gone", "left", "shared"]) await backend.putBlob(hash, new TextEncoder().encode(hash));
      await started(backend, "r", { blobs: ["gone", "left", "shared"] });
      await started(backend, "beside", { blobs: ["shared"] });
      await backend.append(appendTo(await mustGet(backend, "r")));
      const request = upTo("r", 1, { forget: ["gone", "shared"], lastSeq: 1 });
      assert.equal(await compact(backend, request), "moved");
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1), journalRow(2)]);
      assert.equal(await compact(backend, { ...request, lastSeq: 2 }), "compacted");
      await backend.prune({ endedBefore: 0, limit: 1, blobsBefore: 9_999_999_999_999 });
      const found: (boolean | string)[] = [];
      for (const hash of ["gone", "left", "shared"]) found.push((await backend.getBlob(hash)) !== undefined && hash);
      assert.deepEqual(found, [false, "left", "shared"]);
    },
  },
];
