import assert from "node:assert/strict";

import type { RunRow } from "../../ports/backend.ts";
import { appendTo, hostileNames, journalRow, mustGet, newRun, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

export const createCases: readonly ContractCase[] = [
  {
    title: "B1 writes the run and its first journal row together, owned by this engine",
    async play(scene) {
      const backend = await scene.open("a");
      const first = journalRow(1, 3);
      assert.deepEqual(await backend.create(newRun("r", { first, createdAt: 1_234 })), { type: "created" });
      const expected: RunRow = {
        id: "r",
        graph: "orders",
        fingerprint: "f-1",
        status: "running",
        owner: "a",
        epoch: 1,
        lastSeq: 3,
        chain: first.chain,
        createdAt: 1_234,
        updatedAt: 1_234,
        endedAt: null,
        traceId: null,
        labels: null,
        attempts: 0,
        wakeAt: null,
        thread: null,
        carriedUpTo: null,
      };
      assert.deepEqual({ ...(await backend.get("r")) }, expected);
      assert.deepEqual(await readAll(backend, "r"), [first]);
    },
  },
  {
    title: "H66 an id that is taken: nothing is written and the standing row comes back",
    async play(scene) {
      const backend = await scene.open("a");
      const standing = await started(backend, "r");
      const other = newRun("r", { graph: "other", fingerprint: "f-2", createdAt: 9, first: journalRow(1, 5) });
      const result = await backend.create(other);
      assert.equal(result.type, "exists");
      assert.deepEqual({ ...(result.type === "exists" ? result.row : {}) }, { ...standing });
      assert.deepEqual({ ...(await mustGet(backend, "r")) }, { ...standing });
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1)]);
    },
  },
  {
    title: "H66 creating one id twenty times at once, from two engines: exactly one is created",
    async play(scene) {
      const engines = [await scene.open("a"), await scene.open("b")];
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (engines[i % 2] ?? engines[0]!).create(newRun("r", { graph: `g${i}` }))),
      );
      const created = results.flatMap((result, i) => (result.type === "created" ? [i] : []));
      assert.equal(created.length, 1);
      const row = await mustGet(engines[0]!, "r");
      assert.equal(row.graph, `g${created[0]}`);
      assert.equal(row.owner, created[0]! % 2 === 0 ? "a" : "b");
      assert.equal((await readAll(engines[0]!, "r")).length, 1);
    },
  },
  {
    title: "create followed by an append in the same tick: both hold, in order",
    async play(scene) {
      const backend = await scene.open("a");
      const [created, appended] = await Promise.all([
        backend.create(newRun("r")),
        backend.append(appendTo({ id: "r", epoch: 1, lastSeq: 1 })),
      ]);
      assert.deepEqual([created.type, appended.type], ["created", "ok"]);
    },
  },
  {
    title: "B3 a first row that does not start at 1 or covers nothing is refused and leaves no trace",
    async play(scene) {
      const backend = await scene.open("a");
      await assert.rejects(backend.create(newRun("r", { first: journalRow(2) })));
      await assert.rejects(backend.create(newRun("r", { first: journalRow(1, 0) })));
      assert.equal(await backend.get("r"), undefined);
      assert.deepEqual(await readAll(backend, "r"), []);
    },
  },
  {
    title: "hostile ids, graph names and fingerprints are kept exactly and apart",
    async play(scene) {
      const backend = await scene.open("a");
      await Promise.all(hostileNames.map((name) => backend.create(newRun(name, { graph: name, fingerprint: name }))));
      for (const name of hostileNames) {
        const row = await mustGet(backend, name);
        assert.deepEqual([row.id, row.graph, row.fingerprint], [name, name, name]);
        assert.deepEqual(
          (await backend.list({ graph: name })).map(({ id }) => id),
          [name],
        );
      }
      assert.equal((await backend.list()).length, hostileNames.length);
    },
  },
  {
    title: "an id with NUL or a lone surrogate is kept exactly or refused, never altered",
    async play(scene) {
      const backend = await scene.open("a");
      for (const id of ["a\0b", "\ud800", "\ud801"]) {
        const created = await backend.create(newRun(id)).then(
          () => true,
          () => false,
        );
        assert.equal((await backend.get(id))?.id, created ? id : undefined);
      }
      assert.equal(await backend.get("a"), undefined);
    },
  },
];
