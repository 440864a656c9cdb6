import assert from "node:assert/strict";

import type { RunStatus } from "../../ports/backend.ts";
import { appendTo, holes, journalRow, mustGet, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

export const appendCases: readonly ContractCase[] = [
  {
    title: "B2 an append moves lastSeq, chain and updatedAt, and nothing else",
    async play(scene) {
      const backend = await scene.open("a");
      const before = await started(backend, "r");
      const row = journalRow(2, 4);
      assert.deepEqual(await backend.append(appendTo(before, { row, at: 5_000 })), { type: "ok" });
      const after = await mustGet(backend, "r");
      assert.deepEqual({ ...after }, { ...before, lastSeq: 5, chain: row.chain, updatedAt: 5_000 });
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1), row]);
    },
  },
  {
    title: "B2 I3 a stale epoch is lost and changes nothing",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      for (const epoch of [0, 2]) {
        const result = await backend.append(appendTo(run, { epoch, status: "completed", release: true }));
        assert.deepEqual(result, { type: "lost", row: run });
      }
      assert.deepEqual({ ...(await mustGet(backend, "r")) }, { ...run });
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1)]);
    },
  },
  {
    title: "B3 I2 a row that repeats, overlaps or leaves a gap is lost and changes nothing",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r", { first: journalRow(1, 3) });
      for (const firstSeq of [1, 2, 3, 5, 1_000]) {
        const result = await backend.append(appendTo(run, { row: journalRow(firstSeq) }));
        assert.equal(result.type, "lost");
      }
      assert.deepEqual({ ...(await mustGet(backend, "r")) }, { ...run });
    },
  },
  {
    title: "B3 a row that covers nothing is refused",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await assert.rejects(backend.append(appendTo(run, { row: journalRow(2, 0) })));
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1)]);
    },
  },
  {
    title: "an append to a run that does not exist is lost, without a row",
    async play(scene) {
      const backend = await scene.open("a");
      const result = await backend.append(appendTo({ id: "nobody", epoch: 1, lastSeq: 0 }));
      assert.deepEqual(result, { type: "lost", row: undefined });
      assert.deepEqual(await backend.list(), []);
    },
  },
  {
    title: "B5 appends of one run in one tick are applied in call order",
    async play(scene) {
      const backend = await scene.open("a");
      const { id, epoch } = await started(backend, "r");
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) => backend.append(appendTo({ id, epoch, lastSeq: i + 1 }))),
      );
      assert.ok(results.every((result) => result.type === "ok"));
      const rows = await readAll(backend, "r");
      assert.equal(rows.length, 101);
      assert.deepEqual(holes(rows, 101), []);
    },
  },
  {
    title: "H17 twenty appenders of one sequence number at once: one wins, the others lose",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => backend.append(appendTo(run, { row: journalRow(2, 1, `writer ${i}`) }))),
      );
      assert.equal(results.filter((result) => result.type === "ok").length, 1);
      const winner = results.findIndex((result) => result.type === "ok");
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1), journalRow(2, 1, `writer ${winner}`)]);
    },
  },
  {
    title: "H14 B5 one stale run among fifty in one commit: it alone is lost",
    async play(scene) {
      const backend = await scene.open("a");
      const runs = await Promise.all(Array.from({ length: 50 }, (_, i) => started(backend, `r${i}`)));
      const results = await Promise.all(
        runs.map((run, i) => backend.append(appendTo(run, i === 25 ? { epoch: 7 } : {}))),
      );
      assert.deepEqual(
        results.flatMap((result, i) => (result.type === "lost" ? [i] : [])),
        [25],
      );
      for (const [i, run] of runs.entries()) {
        assert.equal((await mustGet(backend, run.id)).lastSeq, i === 25 ? 1 : 2);
      }
    },
  },
  {
    title: "I6 I12 the terminal record and the terminal status are one transaction",
    async play(scene) {
      const backend = await scene.open("a");
      for (const status of ["completed", "failed", "cancelled", "discarded"] satisfies RunStatus[]) {
        const run = await started(backend, status);
        const result = await backend.append(appendTo(run, { status, release: true, at: 7_000 }));
        assert.deepEqual(result, { type: "ok" });
        const after = await mustGet(backend, status);
        assert.deepEqual([after.status, after.owner, after.endedAt, after.lastSeq], [status, null, 7_000, 2]);
      }
    },
  },
  {
    title: "a status that is not an end sets no endedAt; running again clears it",
    async play(scene) {
      const backend = await scene.open("a");
      let run = await started(backend, "r");
      for (const status of ["interrupted", "drained", "quarantined", "needs_review", "queued", "failed"] as const) {
        await backend.append(appendTo(run, { status, at: 3_000 }));
        run = await mustGet(backend, "r");
        assert.deepEqual([run.status, run.endedAt, run.owner], [status, status === "failed" ? 3_000 : null, "a"]);
      }
      await backend.append(appendTo(run, { status: "running", at: 4_000 }));
      run = await mustGet(backend, "r");
      assert.deepEqual([run.status, run.endedAt], ["running", null]);
    },
  },
  {
    title: "an append may give the run another fingerprint; without one it keeps its own",
    async play(scene) {
      const backend = await scene.open("a");
      let run = await started(backend, "r");
      await backend.append(appendTo(run, { fingerprint: "f-2" }));
      run = await mustGet(backend, "r");
      assert.deepEqual([run.fingerprint, run.status, run.owner, run.endedAt], ["f-2", "running", "a", null]);
      await backend.append(appendTo(run, { status: "completed" }));
      assert.equal((await mustGet(backend, "r")).fingerprint, "f-2");
    },
  },
  {
    title: "release gives up the owner in the same transaction, and keeps the status",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await backend.append(appendTo(run, { release: true }));
      const after = await mustGet(backend, "r");
      assert.deepEqual([after.owner, after.status, after.epoch, after.lastSeq], [null, "running", 1, 2]);
    },
  },
  {
    title: "B4 what was acknowledged is there after a crash",
    async play(scene) {
      const backend = await scene.open("a");
      const { id, epoch } = await started(backend, "r");
      for (let lastSeq = 1; lastSeq <= 20; lastSeq += 1) await backend.append(appendTo({ id, epoch, lastSeq }));
      await scene.crash(backend);
      const later = await scene.open("b");
      assert.equal((await mustGet(later, "r")).lastSeq, 21);
      assert.deepEqual(holes(await readAll(later, "r"), 21), []);
    },
  },
];
