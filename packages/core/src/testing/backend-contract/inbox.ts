import assert from "node:assert/strict";
import type { Backend, RunStatus } from "../../ports/backend.ts";
import type { NewNote, Post, PostResult } from "../../ports/inbox.ts";
import { appendTo, hostileNames, mustGet, started } from "./fixtures.ts";
import type { ContractCase, Scene } from "./scene.ts";

const atRest: readonly RunStatus[] = ["interrupted"];

function noteOf(key: string, changes: Partial<Post> = {}): Post {
  const bytes = new TextEncoder().encode(`answer to ${key}`);
  return { runId: "r", kind: "answer", key, bytes, by: "ada", at: 3_000, wakes: [], ...changes };
}

/** Comparable: bytes of any class. */
function plain({ runId, kind, key, bytes, by, at }: NewNote): unknown {
  return { runId, kind, key, text: new TextDecoder().decode(bytes), by, at };
}

function idOf(result: PostResult): number {
  assert.equal(result.type, "posted");
  return result.type === "posted" ? result.id : NaN;
}

async function resting(scene: Scene, status: RunStatus = "interrupted"): Promise<Backend> {
  const backend = await scene.open("a");
  await backend.append(appendTo(await started(backend, "r"), { status, release: true, wakeAt: 90_000 }));
  return backend;
}

export const inboxCases: readonly ContractCase[] = [
  {
    title: "B9 a note is kept byte for byte until it is handled, and comes back oldest first",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      const notes = [noteOf("b"), noteOf("a", { by: null, at: 2_999 }), noteOf("", { kind: "cancel" })];
      for (const note of notes) assert.equal((await backend.post(note)).type, "posted");
      assert.deepEqual((await backend.inbox("r")).map(plain), notes.map(plain));
      assert.deepEqual({ ...(await mustGet(backend, "r")) }, { ...run });
      const handled = [{ kind: "answer", key: "b" }] as const;
      assert.deepEqual(await backend.append(appendTo(run, { handled })), { type: "ok" });
      assert.deepEqual((await backend.inbox("r")).map(plain), notes.slice(1).map(plain));
    },
  },
  {
    title: "H62 B9 of fifty posts with one key from two engines exactly one is kept, and the others learn whose",
    async play(scene) {
      const engines = [await scene.open("a"), await scene.open("b")];
      await started(engines[0]!, "r");
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => engines[i % 2]!.post(noteOf("q", { by: `person ${i}` }))),
      );
      const winners = results.flatMap(({ type }, i) => (type === "posted" ? [`person ${i}`] : []));
      assert.equal(winners.length, 1);
      for (const result of results) if (result.type === "exists") assert.equal(result.note.by, winners[0]);
      assert.deepEqual(
        (await engines[1]!.inbox("r")).map(({ by }) => by),
        winners,
      );
    },
  },
  {
    title: "B9 a handled note still takes its key",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await backend.post(noteOf("q"));
      await backend.append(appendTo(run, { handled: [{ kind: "answer", key: "q" }] }));
      assert.equal((await backend.post(noteOf("q", { by: "bob" }))).type, "exists");
      assert.deepEqual(await backend.inbox("r"), []);
    },
  },
  {
    title: "B2 notes handled by an append that is lost stay",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await backend.post(noteOf("q"));
      const handled = [{ kind: "answer", key: "q" }] as const;
      assert.equal((await backend.append(appendTo(run, { epoch: 9, handled }))).type, "lost");
      assert.equal((await backend.inbox("r")).length, 1);
    },
  },
  {
    title: "B9 kinds, keys and runs are told apart, whatever they are called",
    async play(scene) {
      const backend = await scene.open("a");
      await started(backend, "r");
      await started(backend, "s");
      const keys = hostileNames.filter((name) => !name.includes("\0"));
      for (const key of keys) assert.equal((await backend.post(noteOf(key))).type, "posted", key);
      assert.equal((await backend.post(noteOf("case", { runId: "s" }))).type, "posted");
      assert.equal((await backend.post(noteOf("", { kind: "drain" }))).type, "posted");
      assert.equal((await backend.post(noteOf("", { kind: "cancel" }))).type, "posted");
      assert.deepEqual(
        (await backend.inbox("r")).map(({ key }) => key),
        [...keys, "", ""],
      );
    },
  },
  {
    title: "a note for no run, or for one that has ended, is refused",
    async play(scene) {
      const backend = await scene.open("a");
      assert.deepEqual(await backend.post(noteOf("q", { runId: "nobody" })), { type: "refused", row: undefined });
      for (const status of ["completed", "failed", "cancelled", "discarded"] as const) {
        const run = await started(backend, status);
        await backend.append(appendTo(run, { status, release: true }));
        const result = await backend.post(noteOf("q", { runId: status, wakes: [status] }));
        assert.equal(result.type, "refused");
        assert.equal(result.row?.status, status);
      }
    },
  },
  {
    title: "B9 H65 a note wakes a run at rest in the same transaction, and only one in the statuses it names",
    async play(scene) {
      const backend = await resting(scene);
      const asleep = await backend.post(noteOf("p", { wakes: ["drained"] }));
      assert.equal(asleep.type === "posted" && asleep.row.status, "interrupted");
      const woken = await backend.post(noteOf("q", { wakes: atRest }));
      assert.equal(woken.type === "posted" && woken.row.status, "queued");
      const row = await mustGet(backend, "r");
      assert.deepEqual([row.status, row.wakeAt, row.owner], ["queued", null, null]);
      const [claimed] = await backend.claim({ statuses: ["queued"], limit: 1, at: 4_000 });
      assert.deepEqual([claimed?.id, claimed?.attempts], ["r", 0]);
    },
  },
  {
    title: "a note does not touch the status of a run with a live owner",
    async play(scene) {
      const backend = await scene.open("a");
      await started(backend, "r");
      const result = await backend.post(noteOf("q", { wakes: ["running"] }));
      assert.equal(result.type === "posted" && result.row.status, "running");
      assert.equal((await mustGet(backend, "r")).owner, "a");
    },
  },
  {
    title: "H55 a note that wakes takes a run from a dead owner",
    async play(scene) {
      const dead = await scene.open("a");
      await started(dead, "r");
      await scene.crash(dead);
      const backend = await scene.open("b");
      const result = await backend.post(noteOf("", { kind: "cancel", wakes: ["running"] }));
      assert.equal(result.type === "posted" && result.row.status, "queued");
      const [claimed] = await backend.claim({ statuses: ["queued"], limit: 1, at: 4_000 });
      assert.equal(claimed?.epoch, 2);
      assert.equal(
        (await dead.append(appendTo({ id: "r", epoch: 1, lastSeq: 1 })).catch(() => ({ type: "lost" }))).type,
        "lost",
      );
    },
  },
  {
    title: "H65 H64 a run that would come to rest over an unhandled note is queued instead",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await backend.post(noteOf("q", { wakes: atRest }));
      await backend.append(appendTo(run, { status: "interrupted", release: true, wakeAt: 9_000 }));
      const row = await mustGet(backend, "r");
      assert.deepEqual([row.status, row.owner, row.wakeAt, row.lastSeq], ["queued", null, null, 2]);
    },
  },
  {
    title: "H65 a run that comes to rest with the note handled in the same append rests",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await backend.post(noteOf("q", { wakes: atRest }));
      const handled = [{ kind: "answer", key: "q" }] as const;
      await backend.append(appendTo(run, { status: "interrupted", release: true, handled }));
      assert.equal((await mustGet(backend, "r")).status, "interrupted");
    },
  },
  {
    title: "H65 no answer is lost between parking and posting, in a hundred races",
    async play(scene) {
      const [owner, other] = [await scene.open("a"), await scene.open("b")];
      for (let i = 0; i < 100; i += 1) {
        const run = await started(owner, `race-${i}`);
        await Promise.all([
          owner.append(appendTo(run, { status: "interrupted", release: true })),
          other.post(noteOf("q", { runId: run.id, wakes: atRest })),
        ]);
        assert.equal((await mustGet(owner, run.id)).status, "queued", run.id);
      }
    },
  },
  {
    title: "a rejected note makes room for another with its key; a handled one cannot be rejected",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      const first = idOf(await backend.post(noteOf("q")));
      await backend.reject("r", first + 1_000);
      await backend.reject("nobody", first);
      assert.equal((await backend.inbox("r")).length, 1);
      await backend.reject("r", first);
      assert.deepEqual(await backend.inbox("r"), []);
      const second = idOf(await backend.post(noteOf("q", { by: "bob" })));
      await backend.append(appendTo(run, { handled: [{ kind: "answer", key: "q" }] }));
      await backend.reject("r", second);
      assert.equal((await backend.post(noteOf("q"))).type, "exists");
    },
  },
  {
    title: "B9 a note that is rejected twice takes no later one with its key away, whatever else was rejected between",
    async play(scene) {
      const backend = await scene.open("a");
      await started(backend, "r");
      await started(backend, "s");
      const seen = new Set<number>();
      for (let i = 0; i < 5; i += 1) {
        const other = idOf(await backend.post(noteOf("q", { runId: "s" })));
        const id = idOf(await backend.post(noteOf("q")));
        if (i % 2 === 0) await backend.reject("s", other);
        await backend.reject("r", id);
        await backend.reject("s", other);
        const later = idOf(await backend.post(noteOf("q")));
        // The reply to the first call was lost, and whoever made it makes it again.
        await backend.reject("r", id);
        assert.deepEqual(
          (await backend.inbox("r")).map((note) => note.id),
          [later],
        );
        await backend.reject("r", later);
        for (const each of [other, id, later]) {
          assert.ok(!seen.has(each), `the id ${each} was given twice`);
          seen.add(each);
        }
      }
      assert.deepEqual([...(await backend.notes("r")), ...(await backend.notes("s"))], []);
      assert.equal((await backend.stats()).notes, 0);
    },
  },
  {
    title: "a note has the same id wherever it is read, also where a second post is told of it",
    async play(scene) {
      const backend = await scene.open("a");
      await started(backend, "r");
      const id = idOf(await backend.post(noteOf("q")));
      const again = await backend.post(noteOf("q", { by: "bob" }));
      const ids = [...(await backend.inbox("r")), ...(await backend.notes("r"))].map((note) => note.id);
      assert.deepEqual([...ids, again.type === "exists" && again.note.id], [id, id, id]);
    },
  },
  {
    title: "arrivals are the owner's own runs with unhandled notes, up to the limit",
    async play(scene) {
      const [a, b] = [await scene.open("a"), await scene.open("b")];
      for (const id of ["r1", "r2", "r3"]) await started(a, id);
      await started(b, "s");
      for (const runId of ["r1", "r3", "s"]) await b.post(noteOf("q", { runId }));
      assert.deepEqual((await a.arrivals(10)).toSorted(), ["r1", "r3"]);
      assert.equal((await a.arrivals(1)).length, 1);
      assert.deepEqual(await b.arrivals(10), ["s"]);
      const handled = [{ kind: "answer", key: "q" }] as const;
      await a.append(appendTo(await mustGet(a, "r1"), { handled }));
      assert.deepEqual(await a.arrivals(10), ["r3"]);
    },
  },
];
