import assert from "node:assert/strict";

import type { Backend } from "../../ports/backend.ts";
import { appendTo, hostileNames, journalRow, mustGet, newRun, readAll, started } from "./fixtures.ts";
import type { ContractCase } from "./scene.ts";

const MEGABYTE = 1 << 20;

async function ids(backend: Backend, filter?: Parameters<Backend["list"]>[0]): Promise<string[]> {
  return (await backend.list(filter)).map(({ id }) => id);
}

export const readCases: readonly ContractCase[] = [
  {
    title: "reads from the row that holds the sequence number asked for",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r", { first: journalRow(1, 3) });
      await backend.append(appendTo(run, { row: journalRow(4, 1) }));
      await backend.append(appendTo(run, { row: journalRow(5, 5) }));
      const starts = async (fromSeq?: number): Promise<number[]> =>
        (await readAll(backend, "r", fromSeq)).map(({ firstSeq }) => firstSeq);
      assert.deepEqual(await starts(), [1, 4, 5]);
      assert.deepEqual(await starts(1), [1, 4, 5]);
      assert.deepEqual(await starts(3), [1, 4, 5]);
      assert.deepEqual(await starts(4), [4, 5]);
      assert.deepEqual(await starts(9), [5]);
      assert.deepEqual(await starts(10), []);
      assert.deepEqual(await readAll(backend, "nobody"), []);
    },
  },
  {
    title: "B8 every byte comes back, NUL and 0xff included, empty and one megabyte long",
    async play(scene) {
      const backend = await scene.open("a");
      const large = new Uint8Array(MEGABYTE).map((_, i) => (i * 31) & 0xff);
      const values = [new Uint8Array(0), new Uint8Array([0]), new Uint8Array(256).map((_, i) => i), large];
      let run = await started(backend, "r");
      for (const bytes of values) {
        const row = { firstSeq: run.lastSeq + 1, count: 1, bytes, chain: 0xffff_ffff };
        await backend.append(appendTo(run, { row }));
        run = await mustGet(backend, "r");
        assert.equal(run.chain, 0xffff_ffff);
      }
      const rows = await readAll(backend, "r");
      assert.equal(rows.length, values.length + 1);
      for (const [i, bytes] of values.entries()) {
        assert.ok(Buffer.from(bytes).equals(rows[i + 1]!.bytes), `value ${i} came back changed`);
        assert.equal(rows[i + 1]!.chain, 0xffff_ffff);
      }
    },
  },
  {
    title:
      "B8 a view into a larger buffer is stored as the view; changing it after the acknowledgement changes nothing",
    async play(scene) {
      const backend = await scene.open("a");
      const whole = Buffer.from("before|inside|after");
      const view = whole.subarray(7, 13);
      const run = await started(backend, "r");
      await backend.append(appendTo(run, { row: { ...journalRow(2), bytes: view } }));
      assert.equal(view.toString(), "inside");
      whole.fill(0);
      assert.equal(Buffer.from((await readAll(backend, "r", 2))[0]!.bytes).toString(), "inside");
    },
  },
  {
    title: "a journal of thousands of rows is read whole and in order, also while it grows",
    async play(scene) {
      const backend = await scene.open("a");
      const { id, epoch } = await started(backend, "r");
      const grow = (from: number, to: number): Promise<unknown> =>
        Promise.all(
          Array.from({ length: to - from + 1 }, (_, i) =>
            backend.append(appendTo({ id, epoch, lastSeq: from + i - 1 })),
          ),
        );
      await grow(2, 5_000);
      let expected = 1;
      for await (const row of backend.read(id)) {
        if (row.firstSeq === 10) await grow(5_001, 5_100);
        assert.equal(row.firstSeq, expected);
        expected += 1;
      }
      assert.ok(expected - 1 >= 5_000);
    },
  },
  {
    title: "a reader that stops early harms nobody",
    async play(scene) {
      const backend = await scene.open("a");
      const run = await started(backend, "r");
      await backend.append(appendTo(run));
      for await (const row of backend.read("r")) {
        assert.equal(row.firstSeq, 1);
        break;
      }
      assert.equal((await readAll(backend, "r")).length, 2);
    },
  },
  {
    title: "B7 H86 reading changes nothing, and what was read is the reader's own",
    async play(scene) {
      const backend = await scene.open("a");
      const before = await started(backend, "r");
      for (const row of await readAll(backend, "r")) row.bytes.fill(0xee);
      for await (const row of backend.read("r")) row.bytes.fill(0xee);
      await backend.get("r");
      await backend.list({ status: ["running"] });
      assert.deepEqual({ ...(await mustGet(backend, "r")) }, { ...before });
      assert.deepEqual(await readAll(backend, "r"), [journalRow(1)]);
    },
  },
  {
    title: "lists newest first, the later created first among equals",
    async play(scene) {
      const backend = await scene.open("a");
      for (const [id, createdAt] of [
        ["old", 1],
        ["new", 3],
        ["tie-1", 2],
        ["tie-2", 2],
      ] as const) {
        await backend.create(newRun(id, { createdAt }));
      }
      assert.deepEqual(await ids(backend), ["new", "tie-2", "tie-1", "old"]);
    },
  },
  {
    title: "lists by status, by graph, by both, and up to a limit",
    async play(scene) {
      const backend = await scene.open("a");
      for (const [i, graph] of ["g1", "g2", "g1", "g2"].entries()) {
        const run = await started(backend, `r${i}`, { graph, createdAt: i });
        if (i >= 2) await backend.append(appendTo(run, { status: i === 2 ? "failed" : "completed" }));
      }
      assert.deepEqual(await ids(backend, {}), ["r3", "r2", "r1", "r0"]);
      assert.deepEqual(await ids(backend, { status: ["running"] }), ["r1", "r0"]);
      assert.deepEqual(await ids(backend, { status: ["completed", "failed"] }), ["r3", "r2"]);
      assert.deepEqual(await ids(backend, { graph: "g2" }), ["r3", "r1"]);
      assert.deepEqual(await ids(backend, { graph: "g2", status: ["running"] }), ["r1"]);
      assert.deepEqual(await ids(backend, { limit: 2 }), ["r3", "r2"]);
      assert.deepEqual(await ids(backend, { limit: 0 }), []);
      assert.deepEqual(await ids(backend, { status: [] }), []);
      assert.deepEqual(await ids(backend, { graph: "%" }), []);
    },
  },
  {
    title: "R32 trace id and labels come back with the row, to other engines, after appends and takeovers",
    async play(scene) {
      const backend = await scene.open("a");
      const labels = { user: "ann", session: "s-1", empty: "" };
      const run = await started(backend, "r", { traceId: "trace-1", labels });
      const plain = await started(backend, "plain", { labels: {} });
      assert.deepEqual([run.traceId, { ...run.labels }], ["trace-1", labels]);
      assert.deepEqual([plain.traceId, plain.labels], [null, null]);
      labels.user = "changed by the caller";
      await backend.append(appendTo(run));
      const taken = await backend.create(newRun("r", { traceId: "trace-2", labels: { user: "bob" } }));
      assert.deepEqual(taken.type === "exists" && { ...taken.row.labels }, { ...run.labels, user: "ann" });
      await scene.crash(backend);
      const later = await scene.open("b");
      const [claimed] = await later.claim({ statuses: ["running"], runId: "r", limit: 1, at: 8_000 });
      for (const row of [claimed!, await mustGet(later, "r"), ...(await later.list({ labels: { user: "ann" } }))])
        assert.deepEqual([row.traceId, { ...row.labels }], ["trace-1", { user: "ann", session: "s-1", empty: "" }]);
      assert.deepEqual(await ids(later, { labels: { user: "bob" } }), []);
    },
  },
  {
    title: "R32 lists by labels: all that are given must match, exactly, together with the other filters",
    async play(scene) {
      const backend = await scene.open("a");
      for (const [i, labels] of [
        { user: "ann", session: "1" },
        { user: "ann", session: "2" },
        { user: "bob", session: "1" },
        { session: "ann", user: "1" },
        undefined,
      ].entries()) {
        await backend.create(newRun(`r${i}`, { createdAt: i, graph: i === 1 ? "g1" : "g2", labels }));
      }
      assert.deepEqual(await ids(backend, { labels: {} }), ["r4", "r3", "r2", "r1", "r0"]);
      assert.deepEqual(await ids(backend, { labels: { user: "ann" } }), ["r1", "r0"]);
      assert.deepEqual(await ids(backend, { labels: { session: "1" } }), ["r2", "r0"]);
      assert.deepEqual(await ids(backend, { labels: { user: "ann", session: "1" } }), ["r0"]);
      assert.deepEqual(await ids(backend, { labels: { user: "ann", request: "1" } }), []);
      assert.deepEqual(await ids(backend, { labels: { user: "ann" }, graph: "g1" }), ["r1"]);
      assert.deepEqual(await ids(backend, { labels: { user: "ann" }, status: ["completed"] }), []);
      assert.deepEqual(await ids(backend, { labels: { user: "ann" }, limit: 1 }), ["r1"]);
      assert.deepEqual(await ids(backend, { labels: { USER: "ann" } }), []);
      assert.deepEqual(await ids(backend, { labels: { user: "ANN" } }), []);
      assert.deepEqual(await ids(backend, { labels: { user: "an%" } }), []);
    },
  },
  {
    title: "R32 hostile labels are kept exactly and apart",
    async play(scene) {
      const backend = await scene.open("a");
      for (const name of hostileNames)
        await backend.create(newRun(name, { labels: Object.fromEntries([[name, name]]), traceId: name }));
      for (const name of hostileNames) {
        const labels = Object.fromEntries([[name, name]]);
        const row = await mustGet(backend, name);
        assert.deepEqual([row.traceId, Object.entries(row.labels ?? {})], [name, [[name, name]]]);
        assert.deepEqual(await ids(backend, { labels }), [name]);
      }
    },
  },
];
