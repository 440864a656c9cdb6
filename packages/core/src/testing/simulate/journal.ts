/** A stored journal as the interpreter reads it; refuses what is not contiguous or not chained (I2). */
import { RecordKind, type At, type BrokenOff, type Ended, type Settled, type Started } from "../../events/record.ts";
import { blobsOf, type Revive } from "../../journal/blobs.ts";
import { RowReader, type RawRecord } from "../../journal/rows.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { Cause } from "../reference/failures.ts";
import type { Happening } from "../reference/happening.ts";

export interface StoredJournal {
  readonly row: RunRow;
  readonly happenings: readonly Happening[];
  /** The rows as they are stored: one list of records per commit. */
  readonly rows: readonly (readonly RawRecord[])[];
}

export async function readJournal(backend: Backend, runId: string): Promise<StoredJournal> {
  const row = await backend.get(runId);
  if (row === undefined) throw new Error(`there is no run ${runId}`);
  const reader = new RowReader(runId);
  const happenings: Happening[] = [];
  const rows: RawRecord[][] = [];
  for await (const journalRow of backend.read(runId)) {
    const records = reader.unpack(journalRow);
    const revive = await blobsOf(backend, runId, records);
    rows.push(records);
    for (const record of records) happenings.push(decodeRecord(record, revive));
  }
  reader.finish(row.lastSeq, row.chain);
  return { row, happenings, rows };
}

export function decodeRecord(record: RawRecord, revive: Revive): Happening {
  const [kind, first, second, third, fourth, fifth] = record;
  const wait = decodeWait(record, revive);
  if (wait !== undefined) return wait;
  const slot = first as number;
  const at = second as At;
  switch (kind) {
    case RecordKind.started: {
      const { input, errors, forkedFrom } = first as Started;
      return { kind: "started", input: revive(input), errors, forked: forkedFrom !== undefined };
    }
    case RecordKind.output:
      return { kind: "output", slot, at, value: revive(third) };
    case RecordKind.frame:
      return { kind: "frame", slot, at, value: revive(third) };
    case RecordKind.eof:
      return { kind: "eof", slot, at, value: third === undefined ? undefined : revive(third) };
    case RecordKind.settled:
      return { kind: "settled", slot, at, settled: revive(third) as Settled };
    case RecordKind.brokenOff:
      return { kind: "brokenOff", slot, at, broken: revive(third) as BrokenOff };
    case RecordKind.attemptFailed:
      return {
        kind: "attemptFailed",
        slot,
        at,
        attempt: third as number,
        retryAt: fourth as number | null,
        error: revive(fifth) as Cause,
      };
    default:
      return decodeOther(record, revive);
  }
}

function decodeWait(record: RawRecord, revive: Revive): Happening | undefined {
  const [kind, first, second, third, fourth, fifth, , , doubt = 0] = record;
  const where = { slot: first as number, at: second as At };
  switch (kind) {
    case RecordKind.timerSet:
      return { kind: "timerSet", ...where, due: third as number };
    case RecordKind.fired:
      return { kind: "fired", ...where };
    case RecordKind.unsafeStart:
      return { kind: "unsafeStart", ...where, attempt: third as number, startedAt: fourth as number };
    case RecordKind.asked:
      return {
        kind: "asked",
        ...where,
        due: third as number | null,
        payload: revive(fourth),
        path: String(fifth),
        doubt: doubt as number,
      };
    case RecordKind.answered:
      return { kind: "answered", ...where, by: String(third), value: revive(fourth) };
    case RecordKind.withdrawn:
      return { kind: "withdrawn", ...where };
    default:
      return undefined;
  }
}

/** Kinds of which there is nothing to tell but that they happened. */
const bare: ReadonlyMap<unknown, Happening> = new Map<unknown, Happening>([
  [RecordKind.kept, { kind: "kept" }],
  [RecordKind.snapshot, { kind: "snapshot" }],
  [RecordKind.drainRequested, { kind: "drainRequested" }],
]);

function decodeOther([kind, first, second, third, fourth]: RawRecord, revive: Revive): Happening {
  const happened = bare.get(kind);
  if (happened !== undefined) return happened;
  switch (kind) {
    case RecordKind.dropped:
      return { kind: "dropped", slot: first as number, at: second as At, index: third as number };
    case RecordKind.decision:
      return { kind: "decision", slot: first as number, at: second as At, choice: third as number };
    case RecordKind.resumed:
      return {
        kind: "resumed",
        epoch: first as number,
        inFlight: second as [number, At][],
        crashed: fourth as number,
      };
    case RecordKind.deadlineSet:
      return { kind: "deadlineSet", slot: first as number, at: second as At, due: third as number };
    case RecordKind.cellSet:
      return { kind: "cellSet", cell: String(first), value: revive(second) };
    case RecordKind.finalizerOver:
      return { kind: "finalizerOver", slot: first as number };
    case RecordKind.ended: {
      const { status, output, errors, at, wake } = first as Ended;
      return { kind: "ended", status, output: status === "completed" ? revive(output) : undefined, errors, at, wake };
    }
    default:
      return decodeStop(kind, first, second);
  }
}

function decodeStop(kind: unknown, first: unknown, second: unknown): Happening {
  switch (kind) {
    case RecordKind.cancelRequested:
      return { kind: "cancelRequested", reason: String(first) };
    case RecordKind.drainRequested:
      return { kind: "drainRequested" };
    case RecordKind.stopped:
      return { kind: "stopped", code: String(first), message: String(second) };
    default:
      throw new Error(`unknown record kind ${String(kind)}`);
  }
}
