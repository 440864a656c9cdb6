import assert from "node:assert/strict";
import type { Backend, ClaimRequest, RunRow } from "../../ports/backend.ts";
import { appendTo, hostileNames, journalRow, mustGet, started } from "./fixtures.ts";
import type { ContractCase, Scene } from "./scene.ts";

const minute = 60_000;

function asking(at: number, changes: Partial<ClaimRequest> = {}): ClaimRequest {
  return { statuses: ["queued", "running"], limit: 100, at, ...changes };
}

/** A run whose owners died over it, as often as `at` has moments at which a claim took it over. */
async function diedOver(scene: Scene, at: readonly number[]): Promise<{ backend: Backend; row: RunRow }> {
  let backend = await scene.open("owner-0");
  let row = await started(backend, "r");
  for (const [i, moment] of at.entries()) {
    await scene.crash(backend);
    backend = await scene.open(`owner-${i + 1}`);
    const [claimed] = await backend.claim(asking(moment));
    if (claimed === undefined) throw new Error(`not claimed at ${moment}`);
    row = claimed;
  }
  return { backend, row };
}

export const attemptCases: readonly ContractCase[] = [
  {
    title: "H11 every owner that dies over a run counts, in the statement that claims it",
    async play(scene) {
      const { backend, row } = await diedOver(scene, [minute, 2 * minute, 3 * minute]);
      assert.equal(row.attempts, 3);
      assert.equal((await mustGet(backend, "r")).attempts, 3);
    },
  },
  {
    title: "H12 releases count nothing, and a release that follows deaths wipes them out",
    async play(scene) {
      const { backend, row } = await diedOver(scene, [minute]);
      await backend.release("r", row.epoch);
      const again = await backend.claim(asking(2 * minute));
      assert.deepEqual(
        again.map(({ attempts, epoch }) => [attempts, epoch]),
        [[0, 3]],
      );
    },
  },
  {
    title: "H11 a run that is given back without being gone on with keeps its deaths, and stays held back",
    async play(scene) {
      const { backend, row } = await diedOver(scene, [minute, 2 * minute, 3 * minute]);
      await backend.release("r", row.epoch - 1, true);
      assert.equal((await mustGet(backend, "r")).owner, row.owner);
      await backend.release("r", row.epoch, true);
      const given = await mustGet(backend, "r");
      assert.deepEqual([given.owner, given.attempts], [null, 3]);
      assert.deepEqual(await backend.claim(asking(3 * minute + 1_999)), []);
      const [again] = await backend.claim(asking(3 * minute + 2_000));
      assert.deepEqual([again?.attempts, again?.epoch], [3, row.epoch + 1]);
      await scene.crash(backend);
      const next = await scene.open("next");
      assert.equal((await next.claim(asking(10 * minute)))[0]?.attempts, 4);
    },
  },
  {
    title: "H12 a clean close gives up its runs at no cost of an attempt",
    async play(scene) {
      const first = await scene.open("a");
      await started(first, "r");
      await first.close();
      const second = await scene.open("b");
      assert.deepEqual([(await mustGet(second, "r")).owner, (await mustGet(second, "r")).status], [null, "running"]);
      const [claimed] = await second.claim(asking(minute));
      assert.deepEqual([claimed?.attempts, claimed?.epoch], [0, 2]);
    },
  },
  {
    title: "H1 an owner that is dead to the others takes nothing",
    async play(scene) {
      const zombie = await scene.open("a");
      await started(zombie, "r");
      await scene.crash(zombie);
      const taken = await zombie.claim(asking(minute)).catch(() => []);
      assert.deepEqual(taken, []);
      const other = await scene.open("b");
      assert.equal((await other.claim(asking(minute)))[0]?.epoch, 2);
    },
  },
  {
    title: "H12 a run that comes to rest begins to count anew",
    async play(scene) {
      const { backend, row } = await diedOver(scene, [minute, 2 * minute]);
      await backend.append(appendTo(row, { status: "interrupted", release: true }));
      assert.equal((await mustGet(backend, "r")).attempts, 0);
    },
  },
  {
    title: "an owner that held a run for more than ten minutes did not die of it: the count begins at 1",
    async play(scene) {
      const { row } = await diedOver(scene, [minute, 2 * minute, 2 * minute + 600_001]);
      assert.equal(row.attempts, 1);
    },
  },
  {
    title: "an owner under which a run came further did not die of it: the count begins at 1",
    async play(scene) {
      const { backend, row } = await diedOver(scene, [minute, 2 * minute]);
      assert.equal(row.attempts, 2);
      await backend.append(appendTo(row, { row: journalRow(row.lastSeq + 1, 2) }));
      await scene.crash(backend);
      const next = await scene.open("next");
      assert.equal((await next.claim(asking(3 * minute)))[0]?.attempts, 1);
      const taken = await mustGet(next, "r");
      await next.append(appendTo(taken));
      await scene.crash(next);
      const last = await scene.open("last");
      assert.equal((await last.claim(asking(4 * minute)))[0]?.attempts, 2);
    },
  },
  {
    title: "H11 after the second death in a row a run is held back, longer each time; who names it gets it at once",
    async play(scene) {
      const { backend } = await diedOver(scene, [minute, 2 * minute]);
      await scene.crash(backend);
      const next = await scene.open("next");
      assert.deepEqual(await next.claim(asking(2 * minute + 999)), []);
      assert.equal((await next.claim(asking(2 * minute + 1_000)))[0]?.attempts, 3);
      await scene.crash(next);
      const last = await scene.open("last");
      assert.deepEqual(await last.claim(asking(2 * minute + 1_000 + 1_999)), []);
      assert.equal((await last.claim(asking(2 * minute + 1_001, { runId: "r" })))[0]?.attempts, 0);
    },
  },
  {
    title: "H11 past the greatest number of deaths a run is quarantined and not taken; other runs are",
    async play(scene) {
      const { backend } = await diedOver(scene, [minute, 2 * minute]);
      await started(backend, "other", { createdAt: 2_000 });
      await scene.crash(backend);
      const next = await scene.open("next");
      const rows = await next.claim(asking(3 * minute, { maxAttempts: 2 }));
      assert.deepEqual(
        rows.map(({ id, status, owner, epoch }) => [id, status, owner, epoch]),
        [
          ["r", "quarantined", null, 3],
          ["other", "running", "next", 2],
        ],
      );
      assert.equal((await mustGet(next, "r")).status, "quarantined");
      assert.deepEqual(await next.claim(asking(900 * minute)), []);
      const [freed] = await next.claim(asking(900 * minute, { statuses: ["quarantined"], runId: "r" }));
      assert.deepEqual([freed?.owner, freed?.attempts, freed?.epoch], ["next", 0, 4]);
    },
  },
  {
    title: "R27 a claim by fingerprint leaves runs of others where they are",
    async play(scene) {
      const dead = await scene.open("a");
      await started(dead, "old", { fingerprint: "f-old" });
      await started(dead, "new", { fingerprint: "f-new", createdAt: 2_000 });
      await started(dead, "other", { graph: "g", fingerprint: "f-new", createdAt: 3_000 });
      await scene.crash(dead);
      const backend = await scene.open("b");
      const ids = async (graphs: ClaimRequest["graphs"]): Promise<string[]> =>
        (await backend.claim(asking(minute, { graphs }))).map(({ id }) => id);
      assert.deepEqual(await ids([{ graph: "orders", fingerprint: "f-new" }]), ["new"]);
      assert.deepEqual(await ids([{ graph: "orders", fingerprint: "f-older" }]), []);
      assert.deepEqual(await ids([{ graph: "g" }, { graph: "orders", fingerprint: "f-old" }]), ["old", "other"]);
    },
  },
  {
    title: "a claim leaves out the runs it is told to, however they are called",
    async play(scene) {
      const dead = await scene.open("a");
      for (const [i, id] of hostileNames.entries()) await started(dead, id, { createdAt: i });
      await scene.crash(dead);
      const backend = await scene.open("b");
      const except = hostileNames.slice(1);
      const claimed = await backend.claim(asking(minute, { except }));
      assert.deepEqual(
        claimed.map(({ id }) => id),
        hostileNames.slice(0, 1),
      );
    },
  },
  {
    title: "H56 a run at rest is claimed when its time has come, and only if that is asked for",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await backend.append(appendTo(run, { status: "interrupted", release: true, wakeAt: 5 * minute }));
      const resting = await mustGet(backend, "r");
      assert.deepEqual([resting.status, resting.wakeAt], ["interrupted", 5 * minute]);
      assert.deepEqual(await backend.claim(asking(9 * minute)), []);
      assert.deepEqual(await backend.claim(asking(5 * minute - 1, { due: true })), []);
      const [woken] = await backend.claim(asking(5 * minute, { due: true }));
      assert.deepEqual([woken?.status, woken?.owner, woken?.attempts], ["interrupted", "a", 0]);
      assert.deepEqual(await backend.claim(asking(9 * minute, { due: true })), []);
      await backend.append(appendTo({ id: "r", epoch: 2, lastSeq: 2 }, { status: "running" }));
      assert.equal((await mustGet(backend, "r")).wakeAt, null);
    },
  },
];
