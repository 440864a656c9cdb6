/**
 * What runs of a thread carry on: rows that are read in order, each whole or a change of the one before. A whole row is
 * written when those to be read have become several times as long as it would be. So a list that only grows is written once, what is
 * overwritten again and again costs a share more than what was said, and all of it grows with that, however many turns it took.
 */
import { crc32 } from "../../base/crc32.ts";
import { deepFreeze } from "../../base/freeze.ts";
import type { RunThread } from "../../model/thread.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { CarriedRow, NewCarriedRow } from "../../ports/thread.ts";
import type { RunState } from "../../state/run-state.ts";
import { ownValue, setOwn } from "../codec/own.ts";
import { encodeAs } from "../encode-as.ts";
import { journalCorrupt } from "../rows.ts";
import { grown, patched, patchText, wholeText, type Patch } from "./patch.ts";

/** A whole row is written when the rows to be read are more than so many times as long. */
const growth = 4;
/** What a row more costs who reads them, in bytes. */
const rowCost = 256;

export type CarriedSource = Pick<Backend, "carried">;

/**
 * Beside the cells of a change, none of which can be called so: the checksum of the rows that it follows, from the last whole one on. So
 * two rows that are the same follow the same.
 */
const before = "$";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The thread as it stands now; `upTo`: as it stood when that was its last row. */
export async function readThread(backend: CarriedSource, name: string, upTo?: number): Promise<RunThread> {
  const rows = await backend.carried(name, upTo);
  checkRows(name, rows, upTo);
  return folded(name, rows, null);
}

/** `known`: what is not read again, up to the row before the first of these. */
export function folded(name: string, rows: readonly CarriedRow[], known: RunThread | null): RunThread {
  const start = known ?? { ...unread, name };
  let carried: Record<string, unknown> = { ...start.carried };
  let { sum } = start.stored;
  for (const row of rows) {
    const { [before]: expected, ...cells } = parse(name, row.n, row.bytes);
    if (row.whole) [carried, sum] = [{}, 0];
    else checkFollows(name, row.n, expected, sum);
    // What is known is others', too.
    const change = known === null ? grown : patched;
    for (const [cell, patch] of Object.entries(cells)) setOwn(carried, cell, change(ownValue(carried, cell), patch));
    sum = crc32(row.bytes, sum);
  }
  deepFreeze(carried);
  const bytes = rows.reduce((all, row) => all + row.bytes.byteLength, start.stored.bytes);
  const last = rows.at(-1)?.n ?? start.last;
  return { name, carried, last, stored: { bytes, rows: start.stored.rows + rows.length, sum } };
}

const unread: Omit<RunThread, "name"> = { carried: {}, last: 0, stored: { bytes: 0, rows: 0, sum: 0 } };

/** `expected`: absent in what earlier versions wrote. */
function checkFollows(thread: string, n: number, expected: Patch | undefined, sum: number): void {
  if (expected === undefined || ("v" in expected && expected.v === sum)) return;
  throw journalCorrupt(thread, `row ${n} of what its thread carries does not follow the one before it`);
}

/** Of a run that was started in a thread; null: in none. */
export async function threadOf(backend: CarriedSource, { thread, carriedUpTo }: RunRow): Promise<RunThread | null> {
  if (thread === null) return null;
  return readThread(backend, thread, carriedUpTo ?? undefined);
}

/** What is missing would be read as if it had never been said. */
function checkRows(thread: string, rows: readonly CarriedRow[], upTo = rows.at(-1)?.n ?? 0): void {
  const [first] = rows;
  const from = first === undefined || first.whole ? (first?.n ?? 1) : 1;
  const hole = rows.findIndex(({ n }, i) => n !== from + i);
  if (hole === -1 && from + rows.length - 1 === upTo) return;
  const missing = hole === -1 ? from + rows.length : from + hole;
  throw journalCorrupt(thread, `row ${missing} of what its thread carries is missing`);
}

function parse(thread: string, n: number, bytes: Uint8Array): Readonly<Record<string, Patch>> {
  try {
    return JSON.parse(decoder.decode(bytes)) as Record<string, Patch>;
  } catch (cause) {
    throw journalCorrupt(thread, `row ${n} of what its thread carries cannot be read`, cause);
  }
}

/**
 * What a run that completed leaves to the next one of its thread; undefined: nothing changed.
 *
 * @throws MillraceError `Unencodable`, naming the cell
 */
export function carryOf({ thread, cells, program }: RunState): NewCarriedRow | undefined {
  if (thread === null) return undefined;
  const named = program.plan.cells.flatMap(({ name, carry }, i) =>
    carry && cells !== null ? [[name, cells[i]?.accumulated()] as const] : [],
  );
  const changes = textOf(named, (name, value) => changeOf(name, ownValue(thread.carried, name), value));
  if (changes === "{}") return undefined;
  const bytes = encoder.encode(`{"${before}":{"v":${thread.stored.sum}},${changes.slice(1)}`);
  const { bytes: stored, rows } = thread.stored;
  const cost = stored + rows * rowCost;
  const after = cost + bytes.byteLength + rowCost;
  // What a whole row would be is looked at each time the cost has doubled: else a turn would cost as much as the thread is long.
  if (rows > 0 && Math.floor(Math.log2(after)) === Math.floor(Math.log2(cost))) return { whole: false, bytes };
  // What this graph knows nothing of is carried on as it was.
  const kept = Object.entries(thread.carried).filter(([name]) => !named.some(([known]) => known === name));
  const all = encoder.encode(textOf([...kept, ...named], (name, value) => wholeText(encodeAs(`cells.${name}`, value))));
  const isShorter = rows === 0 || after > growth * (all.byteLength + rowCost);
  return isShorter ? { whole: true, bytes: all } : { whole: false, bytes };
}

function changeOf(name: string, before: unknown, after: unknown): string | null {
  try {
    return patchText(before, after);
  } catch (error) {
    // Told with its place in the cell, which a part that was encoded by itself does not know.
    encodeAs(`cells.${name}`, after);
    throw error;
  }
}

function textOf(
  cells: readonly (readonly [string, unknown])[],
  write: (name: string, value: unknown) => string | null,
): string {
  const parts = cells.flatMap(([name, value]) => {
    const text = write(name, value);
    return text === null ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${parts.join(",")}}`;
}
