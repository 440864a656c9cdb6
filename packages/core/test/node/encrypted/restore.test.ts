import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { memory, type Backend, type RestoredRun } from "../../../src/index.ts";
import { encrypted } from "../../../src/node/index.ts";
import { packRow } from "../../../src/journal/rows.ts";
import { rowsOf } from "../../acceptance/support/journal.ts";

const canary = "canary-7f3a";
const bytes = new TextEncoder().encode(canary);
const hash = "0".repeat(64);
const first = packRow([`[0,"${canary}"]`], 1, 0);
const run: RestoredRun = {
  row: {
    id: "r",
    graph: "g",
    fingerprint: "f",
    status: "interrupted",
    owner: null,
    epoch: 3,
    lastSeq: 1,
    chain: first.chain,
    attempts: 0,
    wakeAt: null,
    createdAt: 1,
    updatedAt: 2,
    endedAt: null,
    traceId: null,
    labels: null,
    thread: "t",
    carriedUpTo: 1,
  },
  journal: [first],
  notes: [{ runId: "r", kind: "answer", key: "q", bytes, by: "ann", at: 2, handled: true }],
  carried: [{ n: 1, runId: "before", whole: true, bytes }],
  blobs: [hash],
};

async function stored(backend: Backend): Promise<Uint8Array[]> {
  const rows = [...(await rowsOf(backend, "r")), ...(await backend.notes("r")), ...(await backend.carried("t"))];
  return rows.map((row) => row.bytes);
}

test("HAZARDS 10: what is put back is encrypted, and readable with the key that was first", async () => {
  const inner = memory();
  const [now, old] = [randomBytes(32), randomBytes(32)];
  const backend = encrypted(inner, { keys: [now, old] });
  await backend.open("a");
  await backend.putBlob(hash, bytes);
  expect(await backend.restore(run)).toEqual({ type: "restored" });
  expect(await stored(backend)).toEqual([first.bytes, bytes, bytes]);
  expect((await backend.get("r"))!.chain).toBe(first.chain);
  const inside = await stored(inner);
  expect(inside).toHaveLength(3);
  for (const each of inside) expect(Buffer.from(each).includes(canary)).toBe(false);
  expect((await inner.get("r"))!.chain).not.toBe(first.chain);
  await backend.prune({ endedBefore: 9e12, limit: 9, blobsBefore: Date.now() + 60_000 });
  expect(await backend.getBlob(hash)).toEqual(bytes);
  await backend.close();
  const later = encrypted(inner.another(), { keys: [now] });
  await later.open("b");
  expect(await stored(later)).toEqual([first.bytes, bytes, bytes]);
  const second = {
    ...run,
    row: { ...run.row, id: "s", status: "completed" as const, endedAt: 3 },
    notes: [],
    blobs: [],
  };
  expect(await later.restore(second)).toEqual({ type: "restored" });
  await later.close();
});
