import assert from "node:assert/strict";

import type { ClaimRequest } from "../../ports/backend.ts";
import { appendTo, journalRow, mustGet, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

function asking(changes: Partial<ClaimRequest> = {}): ClaimRequest {
  return { statuses: ["running"], limit: 100, at: 8_000, ...changes };
}

export const claimCases: readonly ContractCase[] = [
  {
    title: "B6 H6 the run of a live owner is not claimed, whoever asks and however late",
    async play(scene) {
      const alive = await scene.open("a");
      const other = await scene.open("b");
      const run = await started(alive, "r", { createdAt: 1 });
      const late = asking({ at: 9_999_999_999_999 });
      assert.deepEqual(await other.claim(late), []);
      assert.deepEqual(await other.claim({ ...late, runId: "r" }), []);
      assert.deepEqual(await alive.claim(late), []);
      assert.deepEqual({ ...(await mustGet(alive, "r")) }, { ...run });
    },
  },
  {
    title: "B6 the run of a dead owner is taken over with a raised epoch, at once",
    async play(scene) {
      const first = await scene.open("a");
      const run = await started(first, "r");
      await scene.crash(first);
      const second = await scene.open("b");
      const claimed = await second.claim(asking());
      const expected = { ...run, owner: "b", epoch: 2, updatedAt: 8_000, attempts: 1 };
      assert.deepEqual(
        claimed.map((row) => ({ ...row })),
        [expected],
      );
      assert.deepEqual({ ...(await mustGet(second, "r")) }, expected);
      assert.deepEqual(await readAll(second, "r"), [journalRow(1)]);
    },
  },
  {
    title: "H1 I3 after a takeover the former owner's writes are lost, the new owner's hold",
    async play(scene) {
      const parked = await scene.open("a");
      const run = await started(parked, "r");
      await parked.release("r", 1);
      const [claimed] = await (await scene.open("b")).claim(asking());
      assert.equal(claimed?.epoch, 2);
      const zombie = await parked.append(appendTo(run));
      assert.equal(zombie.type, "lost");
      assert.equal(zombie.type === "lost" && zombie.row?.owner, "b");
      assert.deepEqual(await parked.append(appendTo(claimed)), { type: "ok" });
    },
  },
  {
    title: "epochs rise by one with every takeover",
    async play(scene) {
      let backend = await scene.open("owner-0");
      await started(backend, "r");
      for (let i = 1; i <= 5; i += 1) {
        await scene.crash(backend);
        backend = await scene.open(`owner-${i}`);
        const [row] = await backend.claim(asking({ at: 1_000_000 * (i + 1) }));
        assert.deepEqual([row?.owner, row?.epoch], [`owner-${i}`, i + 1]);
      }
    },
  },
  {
    title: "H7 two engines claiming the same orphans at once: each run goes to exactly one",
    async play(scene) {
      const dead = await scene.open("a");
      await Promise.all(Array.from({ length: 40 }, (_, i) => started(dead, `r${i}`)));
      await scene.crash(dead);
      const claimers = [await scene.open("b"), await scene.open("c")];
      const rounds = await Promise.all(
        Array.from({ length: 10 }, (_, i) => claimers[i % 2]!.claim(asking({ limit: 7 }))),
      );
      const taken = rounds.flat();
      assert.equal(taken.length, 40);
      assert.equal(new Set(taken.map(({ id }) => id)).size, 40);
      for (const row of taken) assert.deepEqual({ ...(await mustGet(claimers[0]!, row.id)) }, { ...row });
    },
  },
  {
    title: "claims only the statuses, graphs and run asked for, oldest first, up to the limit",
    async play(scene) {
      const dead = await scene.open("a");
      for (const [i, graph] of ["g1", "g2", "g1", "g2"].entries()) {
        await started(dead, `r${i}`, { graph, createdAt: 100 - i });
      }
      const done = await started(dead, "done");
      await dead.append(appendTo(done, { status: "completed" }));
      await scene.crash(dead);
      const backend = await scene.open("b");
      const ids = async (changes: Partial<ClaimRequest>): Promise<string[]> =>
        (await backend.claim(asking(changes))).map(({ id }) => id);
      assert.deepEqual(await ids({ statuses: ["queued", "interrupted"] }), []);
      assert.deepEqual(await ids({ statuses: [] }), []);
      assert.deepEqual(await ids({ graphs: [] }), []);
      assert.deepEqual(await ids({ limit: 0 }), []);
      assert.deepEqual(await ids({ runId: "r0", graphs: [{ graph: "g2" }] }), []);
      assert.deepEqual(await ids({ runId: "nobody" }), []);
      assert.deepEqual(await ids({ graphs: [{ graph: "g2" }], limit: 1 }), ["r3"]);
      assert.deepEqual(await ids({ runId: "r0" }), ["r0"]);
      assert.deepEqual(await ids({ statuses: ["queued", "running"] }), ["r2", "r1"]);
      assert.deepEqual(await ids({ statuses: ["completed"] }), ["done"]);
    },
  },
  {
    title: "a claim keeps the status",
    async play(scene) {
      const dead = await scene.open("a");
      const run = await started(dead, "r");
      await dead.append(appendTo(run, { status: "interrupted", release: true }));
      const [row] = await (await scene.open("b")).claim(asking({ statuses: ["interrupted"] }));
      assert.deepEqual([row?.status, row?.owner, row?.lastSeq], ["interrupted", "b", 2]);
    },
  },
  {
    title: "a released run can be claimed by a live engine; a stale release is ignored",
    async play(scene) {
      const a = await scene.open("a");
      const b = await scene.open("b");
      await started(a, "r");
      await a.release("r", 2);
      await b.release("r", 1);
      await a.release("nobody", 1);
      assert.equal((await mustGet(a, "r")).owner, "a");
      await a.release("r", 1);
      const released = await mustGet(a, "r");
      assert.deepEqual([released.owner, released.epoch, released.lastSeq], [null, 1, 1]);
      assert.equal((await b.claim(asking()))[0]?.epoch, 2);
      await a.release("r", 1);
      assert.equal((await mustGet(a, "r")).owner, "b");
    },
  },
  {
    title: "after a clean close the runs can be claimed",
    async play(scene) {
      const first = await scene.open("a");
      await started(first, "r");
      await first.close();
      assert.equal((await (await scene.open("b")).claim(asking())).length, 1);
    },
  },
  {
    title: "an owner name that comes back after a crash inherits nothing, and may claim",
    async play(scene) {
      const first = await scene.open("a");
      await started(first, "r");
      await scene.crash(first);
      const second = await scene.open("a");
      await started(second, "new");
      assert.deepEqual(
        (await second.claim(asking())).map(({ id, epoch }) => [id, epoch]),
        [["r", 2]],
      );
    },
  },
  {
    title: "hostile owner names live, die and are told apart",
    async play(scene) {
      const names = ["../../etc/passwd", "'; DROP TABLE x; --", "日本語 🧵", "x".repeat(1_000), "Case", "case"];
      const observer = await scene.open("observer");
      const owners = await Promise.all(names.map((name) => scene.open(name)));
      for (const [i, backend] of owners.entries()) await started(backend, `r${i}`);
      assert.deepEqual(await observer.claim(asking()), []);
      await scene.crash(owners[4]!);
      assert.deepEqual(
        (await observer.claim(asking())).map(({ id }) => id),
        ["r4"],
      );
    },
  },
];
