/** A snapshot as a record, and back. */
import { RecordKind, type SnapshotHeader } from "../../events/record.ts";
import type { Plan } from "../../model/plan.ts";
import type { Backend, JournalRow } from "../../ports/backend.ts";
import { systemSha256 } from "../../ports/system.ts";
import { Kept } from "../../state/kept.ts";
import { openInvocations } from "../../state/invocations.ts";
import { nodePath } from "../../state/path.ts";
import type { RunState } from "../../state/run-state.ts";
import { blobsOf, blobsNamed, type BlobSource, type Revive } from "../blobs.ts";
import type { RowReader } from "../rows.ts";
import { type RawRecord } from "../rows.ts";
import { constantsOf } from "./constants.ts";
import { loadState } from "./state-reader.ts";

/** Of the layout that nodes.ts and run-fields.ts describe: a change there is another format. */
export const snapshotFormat = 4;
const readable: ReadonlySet<number> = new Set([1, 2, 3, snapshotFormat]);

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
/** Longer states are blobs. */
const blobLimit = 64 * 1024;

/** A state to be written, once all records before it are. */
export interface TakenSnapshot {
  readonly header: Omit<SnapshotHeader, "chain">;
  readonly text: string;
  readonly kept: string;
  readonly blobs: readonly string[];
  /** Present when the state is a blob. */
  readonly bytes: Uint8Array | null;
}

/** What a snapshot says of the journal before it. */
export type Before = Pick<SnapshotHeader, "counted" | "limits">;

export function takenOf(run: RunState, text: string, before: Before): TakenSnapshot {
  const { plan } = run.program;
  const bytes = encoder.encode(text);
  const kept = keptText(run);
  const hash = systemSha256(bytes);
  const isBlob = text.length > blobLimit;
  return {
    header: {
      format: snapshotFormat,
      fingerprint: plan.fingerprint,
      constants: constantsOf(plan).shape,
      errors: run.raise ? "raise" : "record",
      hash,
      ...before,
      rereads: rereadBy(run),
    },
    text,
    kept,
    blobs: [...(isBlob ? [hash] : []), ...blobsNamed([kept])],
    bytes: isBlob ? bytes : null,
  };
}

/** A body that begins again compares its items with those it gave, or is told the last one. */
function rereadBy(run: RunState): string[] {
  return openInvocations(run)
    .filter(({ yielded, slot }) => yielded > 0 && slot.op !== null && slot.op.onResume !== "fail")
    .map(({ context, id }) => nodePath(run.program.plan, context, id));
}

export function snapshotRecord({ header, text, kept, bytes }: TakenSnapshot, chain: number): string {
  const state = bytes === null ? JSON.stringify(text) : `{"$b":"${header.hash}"}`;
  return `[${RecordKind.snapshot},${JSON.stringify({ ...header, chain })},${state},${kept}]`;
}

/** Answers as they were recorded: what stands in blobs stays there. */
function keptText({ kept }: RunState): string {
  if (kept === null) return "[]";
  const note = RecordKind.kept;
  const answers = kept.answers.map(({ slot, at, kind, rest }) => [note, kind, slot, at, ...rest]);
  const choices = Array.from(kept.choices, ({ slot, at, choice }) => [note, RecordKind.decision, slot, at, choice]);
  return JSON.stringify([...answers, ...choices]);
}

export type SnapshotSource = Pick<Backend, "read" | "getBlob">;

/** What a state is read from: all that has to be fetched for it. */
interface ReadSnapshot {
  readonly header: SnapshotHeader;
  readonly text: string;
  readonly kept: readonly RawRecord[];
  readonly revive: Revive;
}

export interface LoadedSnapshot {
  readonly run: RunState;
  readonly header: SnapshotHeader;
}

/**
 * The state in the snapshot at record `seq`, and `reader` behind it. Null: there is none that can be used with this plan; the
 * journal itself says everything that it would.
 */
export async function loadSnapshot(
  source: SnapshotSource,
  runId: string,
  seq: number,
  plan: Plan,
  reader: RowReader,
): Promise<LoadedSnapshot | null> {
  const read = await readSnapshot(source, runId, seq, plan, reader);
  if (read === null) return null;
  try {
    const { header, text, kept, revive } = read;
    const run = loadState(text, plan, { runId }, header.errors === "raise");
    if (run.seq !== seq - 1) return null;
    run.seq = seq;
    if (kept.length > 0) run.kept = keptOf(kept, revive);
    return { run, header };
  } catch {
    return null;
  }
}

async function readSnapshot(
  source: SnapshotSource,
  runId: string,
  seq: number,
  plan: Plan,
  reader: RowReader,
): Promise<ReadSnapshot | null> {
  const row = await firstOf(source.read(runId, seq));
  const record = row === undefined || row.firstSeq !== seq ? null : snapshotIn(row, reader);
  if (record === null) return null;
  const [, header, state, kept] = record as [number, SnapshotHeader, unknown, RawRecord[]];
  if (!fits(header, plan)) return null;
  const text = typeof state === "string" ? state : await blobText(source, header.hash);
  if (text === null || systemSha256(encoder.encode(text)) !== header.hash) return null;
  return { header, text, kept, revive: await blobsOf(source, runId, kept) };
}

async function firstOf(rows: AsyncIterable<JournalRow>): Promise<JournalRow | undefined> {
  for await (const row of rows) return row;
  return undefined;
}

/** The row vouches for the chain before it, and is checked by that. */
function snapshotIn(row: JournalRow, reader: RowReader): RawRecord | null {
  try {
    const [record] = JSON.parse(decoder.decode(row.bytes)) as RawRecord[];
    if (record?.[0] !== RecordKind.snapshot) return null;
    reader.startAfter(row.firstSeq - 1, (record[1] as SnapshotHeader).chain);
    return reader.unpack(row)[0] ?? null;
  } catch {
    return null;
  }
}

function fits({ format, fingerprint, constants }: SnapshotHeader, plan: Plan): boolean {
  return readable.has(format) && fingerprint === plan.fingerprint && constants === constantsOf(plan).shape;
}

async function blobText(source: BlobSource, hash: string): Promise<string | null> {
  const bytes = await source.getBlob(hash);
  return bytes === undefined ? null : decoder.decode(bytes);
}

function keptOf(records: readonly RawRecord[], revive: Revive): Kept {
  const kept = new Kept();
  records.forEach(([, kind, slot, at, ...rest], seq) => {
    if (kind === RecordKind.decision) kept.addChoice(slot as number, at as never, rest[0] as number);
    else kept.add({ seq, kind: kind as RecordKind, slot: slot as number, at: at as never, rest, revive });
  });
  return kept;
}
