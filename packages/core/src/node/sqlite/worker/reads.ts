import type { RunFilter, RunRow } from "../../../ports/backend.ts";
import type { CarriedRow } from "../../../ports/thread.ts";
import { concat } from "../concat.ts";
import type { CommandOf, PackedPage } from "../protocol.ts";
import { selectBlob } from "../sql/blobs.ts";
import { selectCarried } from "../sql/carried.ts";
import { selectJournal } from "../sql/select-journal.ts";
import { selectRuns } from "../sql/select-runs.ts";
import type { Connection } from "./connection.ts";
import { toRunRow } from "./run-row.ts";

/** A page ends with the row that reaches either. */
const PAGE_BYTES = 1 << 20;
const PAGE_ROWS = 2_048;
const farthest = Number.MAX_SAFE_INTEGER;

export function listRuns(connection: Connection, filter: RunFilter): RunRow[] {
  const { status, graph = null, thread, labels = {}, createdUntil, limit, carriedUntil = farthest } = filter;
  const wanted = Object.entries(labels);
  const by = { thread: thread !== undefined, labels: wanted.length > 0, until: createdUntil !== undefined };
  const rows = connection.all(selectRuns(by), {
    statuses: status === undefined ? null : JSON.stringify(status),
    graph,
    limit: limit === undefined ? -1 : Math.max(0, limit),
    ...(thread !== undefined && { thread, carriedUntil: Math.min(Math.floor(carriedUntil), farthest) }),
    ...(createdUntil !== undefined && { createdUntil }),
    ...(by.labels && { labels: JSON.stringify(wanted) }),
  });
  return rows.map(toRunRow);
}

export function carriedBy(connection: Connection, asked: CommandOf<"carried">["input"]): CarriedRow[] {
  const rows = connection.all(selectCarried, { ...asked });
  return rows.map((row) => ({ ...row, whole: row["whole"] === 1 }) as unknown as CarriedRow);
}

export function readPage(connection: Connection, runId: string, fromSeq: number): PackedPage {
  const rows: number[] = [];
  const parts: Uint8Array[] = [];
  let byteLength = 0;
  let next: number | null = null;
  for (const row of connection.iterate(selectJournal, { runId, fromSeq })) {
    const { firstSeq, count, chain, bytes } = row as unknown as StoredRow;
    rows.push(firstSeq, count, chain, bytes.byteLength);
    parts.push(bytes);
    byteLength += bytes.byteLength;
    if (byteLength >= PAGE_BYTES || parts.length >= PAGE_ROWS) {
      next = firstSeq + count;
      break;
    }
  }
  return { rows, bytes: concat(parts, byteLength), next };
}

export function findBlob(connection: Connection, hash: string): Uint8Array | undefined {
  return connection.get(selectBlob, hash)?.["bytes"] as Uint8Array | undefined;
}

interface StoredRow {
  readonly firstSeq: number;
  readonly count: number;
  readonly chain: number;
  readonly bytes: Uint8Array;
}
