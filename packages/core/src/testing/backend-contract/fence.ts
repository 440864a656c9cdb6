import assert from "node:assert/strict";

import { openStatuses, type Backend, type RunRow } from "../../ports/backend.ts";
import { fenceStep } from "../../ports/fence.ts";
import { appendTo, mustGet, newRun, readAll, started } from "./fixtures.ts";
import type { ContractCase, Scene } from "./scene.ts";

/** A run in every status it can stand in, called by it, as a store that is put back has them. */
async function oneOfEach(backend: Backend): Promise<Map<string, RunRow>> {
  const rows = new Map<string, RunRow>();
  for (const status of [...openStatuses, "completed"] as const) {
    const run = await started(backend, status);
    if (status !== "running") {
      const wakeAt = status === "interrupted" ? 9_000 : null;
      await backend.append(appendTo(run, { status, release: true, wakeAt }));
    }
    rows.set(status, await mustGet(backend, status));
  }
  return rows;
}

/** The owner of before lives, and another one came; all runs are fenced by it. */
async function fenced(
  scene: Scene,
  resume: boolean,
): Promise<{ old: Backend; now: Backend; runs: Map<string, RunRow> }> {
  const old = await scene.open("old");
  const runs = await oneOfEach(old);
  const now = await scene.open("now");
  assert.deepEqual(await now.fenceAll({ resume, at: 5_000 }), { runs: openStatuses.length, owned: 1 });
  return { old, now, runs };
}

const standing = ({ status, owner, attempts, wakeAt }: RunRow): unknown[] => [status, owner, attempts, wakeAt];

export const fenceCases: readonly ContractCase[] = [
  {
    title: "H28 after fenceAll nobody has a run, every open one needs a review, and one that ended is as it was",
    async play(scene) {
      const { now, runs } = await fenced(scene, false);
      for (const status of openStatuses) {
        const row = await mustGet(now, status);
        assert.deepEqual(standing(row), ["needs_review", null, 0, null]);
        assert.equal(row.epoch, (runs.get(status)?.epoch ?? 0) + fenceStep);
        assert.equal(row.updatedAt, 5_000);
      }
      assert.deepEqual({ ...(await mustGet(now, "completed")) }, { ...runs.get("completed") });
      assert.equal((await now.list({ status: ["needs_review"] })).length, openStatuses.length);
    },
  },
  {
    title: "H28 to resume, fenceAll leaves runs as they stood, and whoever comes goes on with them",
    async play(scene) {
      const { now, runs } = await fenced(scene, true);
      for (const status of openStatuses) {
        const row = await mustGet(now, status);
        assert.deepEqual(standing(row), [status, null, 0, runs.get(status)?.wakeAt ?? null]);
        assert.ok(row.epoch >= fenceStep);
      }
      const next = await scene.open("next");
      const claimed = await next.claim({ statuses: ["queued", "running"], limit: 10, at: 9_000, due: true });
      assert.deepEqual(claimed.map(({ id }) => id).toSorted(), ["interrupted", "queued", "running"]);
      for (const row of claimed)
        assert.equal((await next.append(appendTo(row, { status: "completed", release: true }))).type, "ok");
    },
  },
  {
    title: "H28 what an owner of before appends, takes up and releases after fenceAll changes nothing",
    async play(scene) {
      for (const resume of [false, true]) {
        const old = await scene.open(`old-${resume}`);
        const id = `r-${resume}`;
        const run = await started(old, id);
        const note = {
          runId: id,
          kind: "answer",
          key: "q",
          bytes: new Uint8Array(1),
          by: null,
          at: 1,
          wakes: [],
        } as const;
        await old.post(note);
        const now = await scene.open(`now-${resume}`);
        await now.fenceAll({ resume, at: 5_000 });
        const before = await mustGet(now, id);
        for (const changes of [
          {},
          { status: "completed", release: true },
          { handled: [{ kind: "answer", key: "q" }] },
        ] as const)
          assert.equal((await old.append(appendTo(run, changes))).type, "lost");
        await old.release(id, run.epoch);
        assert.deepEqual(await old.arrivals(10), []);
        assert.deepEqual({ ...(await mustGet(now, id)) }, { ...before });
        assert.equal((await readAll(now, id)).length, 1);
        assert.equal((await now.inbox(id)).length, 1);
      }
    },
  },
  {
    title: "H28 a run that needs a review is taken by nobody but who names it, or cancelled by a note",
    async play(scene) {
      const { now } = await fenced(scene, false);
      const next = await scene.open("next");
      assert.deepEqual(await next.claim({ statuses: ["queued", "running"], limit: 10, at: 99_000, due: true }), []);
      const [named] = await next.claim({ statuses: ["needs_review"], runId: "running", limit: 1, at: 99_000 });
      assert.deepEqual([named?.owner, named?.epoch], ["next", fenceStep + 2]);
      assert.equal((await next.append(appendTo(named!, { status: "running" }))).type, "ok");
      const wish = {
        runId: "interrupted",
        kind: "cancel",
        key: "",
        bytes: new Uint8Array(1),
        by: null,
        at: 1,
      } as const;
      await now.post({ ...wish, wakes: ["needs_review"] });
      assert.equal((await mustGet(now, "interrupted")).status, "queued");
    },
  },
  {
    title: "H28 B10 a thread whose run needs a review is busy, and goes on when that has ended",
    async play(scene) {
      const old = await scene.open("old");
      await started(old, "turn", { thread: "t" });
      const now = await scene.open("now");
      await now.fenceAll({ resume: false, at: 5_000 });
      const next = await scene.open("next");
      assert.equal((await next.create(newRun("other", { thread: "t" }))).type, "busy");
      const [turn] = await next.claim({ statuses: ["needs_review"], runId: "turn", limit: 1, at: 6_000 });
      const carry = { whole: true, bytes: new Uint8Array([1]) };
      await next.append(appendTo(turn!, { status: "completed", release: true, carry }));
      assert.equal((await next.create(newRun("other", { thread: "t" }))).type, "created");
      assert.equal((await next.carried("t")).length, 1);
    },
  },
  {
    title: "H28 fenceAll of an empty store and a second one are harmless",
    async play(scene) {
      const backend = await scene.open("a");
      assert.deepEqual(await backend.fenceAll({ resume: false, at: 1 }), { runs: 0, owned: 0 });
      await started(backend, "r");
      assert.deepEqual(await backend.fenceAll({ resume: false, at: 1 }), { runs: 1, owned: 1 });
      assert.deepEqual(await backend.fenceAll({ resume: true, at: 2 }), { runs: 1, owned: 0 });
      const row = await mustGet(backend, "r");
      assert.deepEqual([row.status, row.epoch], ["needs_review", 1 + 2 * fenceStep]);
    },
  },
];
