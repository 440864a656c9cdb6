import assert from "node:assert/strict";
import type { Backend, RestoredRun, RunRow } from "../../ports/backend.ts";
import type { RestoredNote } from "../../ports/inbox.ts";
import { appendTo, journalRow, mustGet, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const row: RunRow = {
  id: "r",
  graph: "orders",
  fingerprint: "f-2",
  status: "interrupted",
  owner: "somebody of another store",
  epoch: 7,
  lastSeq: 4,
  chain: 4_294_967_295,
  attempts: 2,
  wakeAt: 90_000,
  createdAt: 1_000,
  updatedAt: 5_000,
  endedAt: null,
  traceId: "trace",
  labels: { user: "ann" },
  thread: "t",
  carriedUpTo: 1,
};

const answered: RestoredNote = {
  runId: "r",
  kind: "answer",
  key: "q",
  bytes: bytes("yes"),
  by: "ada",
  at: 3_000,
  handled: true,
};

const asked: RestoredNote = { ...answered, kind: "cancel", key: "", by: null, handled: false, bytes: bytes("") };

function stored(changes: Partial<RunRow> = {}, rest: Partial<RestoredRun> = {}): RestoredRun {
  const id = changes.id ?? "r";
  return {
    row: { ...row, ...changes },
    journal: [journalRow(1, 3), { ...journalRow(4), bytes: new Uint8Array(0), chain: row.chain }],
    notes: [answered, asked].map((note) => ({ ...note, runId: id })),
    carried: [
      { n: 1, runId: "earlier", whole: true, bytes: bytes("one") },
      { n: 2, runId: "later", whole: false, bytes: bytes("two") },
    ],
    blobs: ["hash"],
    ...rest,
  };
}

/** Comparable: bytes of any class, and without the ids of this store. */
async function notesOf(backend: Backend, id: string): Promise<unknown> {
  return (await backend.notes(id)).map(({ id: _id, ...note }) => ({ ...note, bytes: [...note.bytes] }));
}

async function empty(backend: Backend): Promise<void> {
  assert.deepEqual(await backend.list(), []);
  assert.deepEqual(await readAll(backend, "r"), []);
  assert.deepEqual(await backend.carried("t"), []);
}

export const restoreCases: readonly ContractCase[] = [
  {
    title: "B12 a run is put back with all that belongs to it, and nobody owns it",
    async play(scene) {
      const backend = await scene.open("a");
      const run = stored();
      await backend.putBlob("hash", bytes("large"));
      assert.deepEqual(await backend.restore(run), { type: "restored" });
      assert.deepEqual({ ...(await mustGet(backend, "r")) }, { ...row, owner: null });
      assert.deepEqual(await readAll(backend, "r"), run.journal);
      assert.deepEqual(
        await notesOf(backend, "r"),
        run.notes.map((note) => ({ ...note, bytes: [...note.bytes] })),
      );
      assert.deepEqual(
        (await backend.inbox("r")).map(({ kind }) => kind),
        ["cancel"],
      );
      assert.deepEqual(
        (await backend.carried("t")).map((each) => ({ ...each, bytes: [...each.bytes] })),
        run.carried.map((each) => ({ ...each, bytes: [...each.bytes] })),
      );
      assert.deepEqual(
        (await backend.list({ labels: { user: "ann" } })).map(({ id }) => id),
        ["r"],
      );
      await backend.prune({ endedBefore: 9e12, limit: 9, blobsBefore: Date.now() + 60_000 });
      assert.notEqual(await backend.getBlob("hash"), undefined);
      const [claimed] = await backend.claim({ statuses: [], due: true, limit: 1, at: 90_000 });
      assert.deepEqual([claimed?.id, claimed?.owner, claimed?.epoch], ["r", "a", 8]);
      assert.deepEqual(await backend.arrivals(9), ["r"]);
      assert.deepEqual(await backend.append(appendTo(claimed!)), { type: "ok" });
    },
  },
  {
    title: "B12 nothing is written over a run that stands, nor into a thread that is busy or has said something else",
    async play(scene) {
      const backend = await scene.open("a");
      const standing = await started(backend, "r", { thread: "t" });
      const exists = await backend.restore(stored());
      assert.equal(exists.type === "exists" && exists.row.fingerprint, "f-1");
      const busy = await backend.restore(stored({ id: "other" }));
      assert.equal(busy.type === "busy" && busy.row.id, "r");
      const carry = { whole: true, bytes: bytes("something else") };
      await backend.append(appendTo(standing, { status: "completed", release: true, carry }));
      assert.deepEqual(await backend.restore(stored({ id: "other" })), { type: "carried", n: 1 });
      assert.deepEqual(
        (await backend.list()).map(({ id }) => id),
        ["r"],
      );
      assert.equal((await readAll(backend, "r")).length, 2);
      assert.equal((await backend.carried("t")).length, 1);
      assert.deepEqual(await backend.notes("other"), []);
    },
  },
  {
    title: "B12 two runs of one thread are put back with the same rows of it",
    async play(scene) {
      const backend = await scene.open("a");
      const ended = { status: "completed", endedAt: 6_000, wakeAt: null } as const;
      assert.equal((await backend.restore(stored(ended))).type, "restored");
      assert.equal((await backend.restore(stored({ ...ended, id: "second" }))).type, "restored");
      assert.deepEqual(
        (await backend.carried("t")).map(({ n }) => n),
        [1, 2],
      );
    },
  },
  {
    title: "B12 many runs of one thread are put back at once, from two engines",
    async play(scene) {
      const backends = [await scene.open("a"), await scene.open("b")];
      const ended = { status: "completed", endedAt: 6_000, wakeAt: null } as const;
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, i) => backends[i % 2]!.restore(stored({ ...ended, id: `r${i}` }))),
      );
      assert.deepEqual(new Set(results.map(({ type }) => type)), new Set(["restored"]));
      const rows = await backends[0]!.carried("t");
      assert.deepEqual(
        rows.map((row) => [row.n, ...row.bytes]),
        stored().carried.map((row) => [row.n, ...row.bytes]),
      );
    },
  },
  {
    title: "B12 B10 nothing is put into a thread under a run that was started without it",
    async play(scene) {
      const backend = await scene.open("a");
      const ended = { status: "completed", endedAt: 6_000, wakeAt: null } as const;
      const [first, second] = stored().carried;
      await backend.restore(stored({ ...ended, id: "first" }, { carried: [first!] }));
      await started(backend, "active", { thread: "t" });
      const busy = await backend.restore(stored({ ...ended, id: "later" }, { carried: [first!, second!] }));
      assert.equal(busy.type === "busy" && busy.row.id, "active");
      const other = { ...first!, bytes: bytes("something else") };
      assert.deepEqual(await backend.restore(stored({ ...ended, id: "later" }, { carried: [other] })), {
        type: "carried",
        n: 1,
      });
      assert.equal(await backend.get("later"), undefined);
      assert.equal((await backend.carried("t")).length, 1);
      const beside = await backend.restore(stored({ ...ended, id: "beside" }, { carried: [first!] }));
      assert.deepEqual(beside, { type: "restored" });
      assert.equal((await mustGet(backend, "beside")).endedAt, 6_000);
    },
  },
  {
    title: "B12 B3 a journal with a hole, or of another length than its run says, is refused and leaves no trace",
    async play(scene) {
      const backend = await scene.open("a");
      const hole = [journalRow(1, 2), { ...journalRow(4), chain: row.chain }];
      await assert.rejects(backend.restore(stored({}, { journal: hole })));
      await assert.rejects(backend.restore(stored({ lastSeq: 5 })));
      await empty(backend);
    },
  },
  {
    title: "a run that nobody drives is queued again; one that is driven or has ended is not",
    async play(scene) {
      const dead = await scene.open("dead");
      const run = await started(dead, "orphan");
      await started(dead, "resting");
      await scene.crash(dead);
      const backend = await scene.open("a");
      const ended = await started(backend, "ended");
      await backend.append(appendTo(ended, { status: "completed", release: true }));
      await started(backend, "driven");
      assert.equal(await backend.requeue("orphan", 9_000), true);
      for (const id of ["ended", "driven", "nobody"]) assert.equal(await backend.requeue(id, 9_000), false);
      const queued = await mustGet(backend, "orphan");
      assert.deepEqual({ ...queued }, { ...run, status: "queued", owner: null, updatedAt: 9_000 });
      assert.equal((await mustGet(backend, "ended")).status, "completed");
      const [claimed] = await backend.claim({ statuses: ["queued"], limit: 9, at: 9_000 });
      assert.deepEqual([claimed?.id, claimed?.attempts], ["orphan", 0]);
    },
  },
  {
    title: "says which owners live",
    async play(scene) {
      const dead = await scene.open("dead");
      const backend = await scene.open("a");
      await scene.open("b");
      assert.deepEqual(await backend.living(["b", "dead", "a", "nobody"]), ["b", "dead", "a"]);
      await scene.crash(dead);
      assert.deepEqual(await backend.living(["a", "b", "dead", "nobody"]), ["a", "b"]);
      assert.deepEqual(await backend.living([]), []);
    },
  },
  {
    title: "lists go on where one ended, by the moment of creation",
    async play(scene) {
      const backend = await scene.open("a");
      for (const [i, createdAt] of [5, 1, 9, 5].entries()) await started(backend, `r${i}`, { createdAt });
      const ids = async (createdUntil: number): Promise<string[]> =>
        (await backend.list({ createdUntil })).map(({ id }) => id);
      assert.deepEqual(await ids(9), ["r2", "r3", "r0", "r1"]);
      assert.deepEqual(await ids(5), ["r3", "r0", "r1"]);
      assert.deepEqual(await ids(4), ["r1"]);
      assert.deepEqual(await ids(0), []);
    },
  },
];
