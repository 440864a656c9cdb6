/**
 * What runs of a thread carry on: rows that are read in order, each whole or a change of the one before. A whole row is
 * written when the changes since the last one have become several times as long, so that all rows together are about as
 * long as what was said, however many turns it took.
 */
import { deepFreeze } from "../../base/freeze.ts";
import type { RunThread } from "../../model/thread.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { CarriedRow, NewCarriedRow } from "../../ports/thread.ts";
import type { RunState } from "../../state/run-state.ts";
import { encodeAs } from "../encode-as.ts";
import { journalCorrupt } from "../rows.ts";
import { patched, patchText, wholeText, type Patch } from "./patch.ts";

/** A whole row follows changes of more than so many times its length, or more rows than `longest`. */
const growth = 8;
const longest = 200;

export type CarriedSource = Pick<Backend, "carried">;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The thread as it stands now; `upTo`: as it stood when that was its last row. And the position of its last row. */
export async function readThread(
  backend: CarriedSource,
  name: string,
  upTo?: number,
): Promise<{ readonly thread: RunThread; readonly last: number }> {
  const rows = await backend.carried(name, upTo);
  checkRows(name, rows, upTo);
  let carried: Record<string, unknown> = {};
  let whole = 0;
  let changes = 0;
  for (const row of rows) {
    const cells = parse(name, row.n, row.bytes);
    if (row.whole) carried = {};
    for (const [cell, patch] of Object.entries(cells)) setOwn(carried, cell, patched(carried[cell], patch));
    if (row.whole) whole = row.bytes.byteLength;
    else changes += row.bytes.byteLength;
  }
  deepFreeze(carried);
  return { thread: { name, carried, stored: { whole, changes, rows: rows.length } }, last: rows.at(-1)?.n ?? 0 };
}

/** Of a run that was started in a thread; null: in none. */
export async function threadOf(backend: CarriedSource, { thread, carriedUpTo }: RunRow): Promise<RunThread | null> {
  if (thread === null) return null;
  return (await readThread(backend, thread, carriedUpTo ?? undefined)).thread;
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
  const { whole, changes: before, rows } = thread.stored;
  if (rows > 0 && rows < longest && before + changes.length <= growth * whole)
    return { whole: false, bytes: encoder.encode(changes) };
  // What this graph knows nothing of is carried on as it was.
  const kept = Object.entries(thread.carried).filter(([name]) => !named.some(([known]) => known === name));
  const all = textOf([...kept, ...named], (name, value) => wholeText(encodeAs(`cells.${name}`, value)));
  return { whole: true, bytes: encoder.encode(all) };
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
