/**
 * What runs of a thread carry on: rows that are read in order, each whole or a change of the one before. A whole row is
 * written when those to be read have become several times as long as it would be. So a list that only grows is written once, what is
 * overwritten again and again costs a share more than what was said, and all of it grows with that, however many turns it took.
 */
import { deepFreeze } from "../../base/freeze.ts";
import type { RunThread } from "../../model/thread.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { CarriedRow, NewCarriedRow } from "../../ports/thread.ts";
import type { RunState } from "../../state/run-state.ts";
import { encodeAs } from "../encode-as.ts";
import { journalCorrupt } from "../rows.ts";
import { grown, patchText, wholeText, type Patch } from "./patch.ts";

/** A whole row is written when the rows to be read are more than so many times as long. */
const growth = 4;
/** What a row more costs who reads them, in bytes. */
const rowCost = 256;

export type CarriedSource = Pick<Backend, "carried">;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The thread as it stands now; `upTo`: as it stood when that was its last row. */
export async function readThread(backend: CarriedSource, name: string, upTo?: number): Promise<RunThread> {
  const rows = await backend.carried(name, upTo);
  checkRows(name, rows, upTo);
  let carried: Record<string, unknown> = {};
  let bytes = 0;
  for (const row of rows) {
    const cells = parse(name, row.n, row.bytes);
    if (row.whole) carried = {};
    for (const [cell, patch] of Object.entries(cells)) setOwn(carried, cell, grown(carried[cell], patch));
    bytes += row.bytes.byteLength;
  }
  deepFreeze(carried);
  return { name, carried, last: rows.at(-1)?.n ?? 0, stored: { bytes, rows: rows.length } };
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
  const changes = textOf(named, (name, value) => changeOf(name, thread.carried[name], value));
  if (changes === "{}") return undefined;
  const bytes = encoder.encode(changes);
  const { bytes: before, rows } = thread.stored;
  const cost = before + rows * rowCost;
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

function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
