/**
 * The output of a run, where it is what its thread carries anyway: an agent's output is its whole state. Written out, it would
 * stand in the journal once per turn, each time longer; so the record of the end says where it stands.
 */
import type { CarriedOutput, Ended } from "../../events/record.ts";
import { RecordKind } from "../../events/record.ts";
import type { RunRow } from "../../ports/backend.ts";
import type { RunState } from "../../state/run-state.ts";
import { encode } from "../codec/codec.ts";
import { journalCorrupt, type RawRecord } from "../rows.ts";
import { readThread, type CarriedSource } from "./carry.ts";

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** Cell, field of its value, field of that. */
const deepest = 3;
/** A record with more fields is a table, and no part of it is looked for. */
const mostFields = 1_000;

/** What of an output is told by its place in the thread; null: nothing of it. `own`: the rest. */
export function carriedIn(
  { thread, cells, program }: RunState,
  output: unknown,
  row: number,
): { readonly carried: CarriedOutput; readonly own: Fields | null } | null {
  if (thread === null || cells === null || typeof output !== "object" || output === null) return null;
  const paths = new Map<object, Path>();
  program.plan.cells.forEach(({ name, carry, view }, at) => {
    if (!carry) return;
    note(paths, cells[at]?.accumulated(), [name]);
    // What readers were given of a list that grows in place is a copy of it.
    if (view === null) note(paths, cells[at]?.given?.value, [name]);
  });
  const at = paths.get(output);
  if (at !== undefined) return { carried: { row, at }, own: null };
  return isFields(output) ? fieldsIn(paths, output, row) : null;
}

function fieldsIn(
  paths: ReadonlyMap<object, Path>,
  output: Fields,
  row: number,
): { readonly carried: CarriedOutput; readonly own: Fields } | null {
  const keys = Object.keys(output);
  const from: (Path | null)[] = keys.map((key) => paths.get(output[key] as object) ?? null);
  if (from.every((path) => path === null)) return null;
  const own: Record<string, unknown> = {};
  keys.forEach((key, i) => {
    if (from[i] === null) define(own, key, output[key]);
  });
  return { carried: { row, fields: keys.map((key, i) => [key, from[i]!]) }, own };
}

function note(paths: Map<object, Path>, value: unknown, path: Path): void {
  if (typeof value !== "object" || value === null) return;
  if (!paths.has(value)) paths.set(value, path);
  if (path.length === deepest || !isFields(value)) return;
  const keys = Object.keys(value);
  if (keys.length <= mostFields) for (const key of keys) note(paths, value[key], [...path, key]);
}

function isFields(value: object): value is Fields {
  return Object.getPrototypeOf(value) === Object.prototype && Object.getOwnPropertySymbols(value).length === 0;
}

/** Whether the output of the run whose end is among these records has to be looked for. */
export function refersToThread(records: readonly RawRecord[]): boolean {
  const last = records.at(-1);
  return last?.[0] === RecordKind.ended && (last[1] as Ended).carried !== undefined;
}

/**
 * The records, with the output in the end of the run as if it had been written out. `revive`: for what the run did not carry.
 *
 * @throws MillraceError `JournalCorrupt` when the thread does not have it
 */
export async function withOutput(
  source: CarriedSource,
  { id, thread }: Pick<RunRow, "id" | "thread">,
  records: readonly RawRecord[],
  revive: (stored: unknown) => unknown,
): Promise<readonly RawRecord[]> {
  if (!refersToThread(records)) return records;
  const [kind, last] = records.at(-1) as readonly [unknown, Ended];
  const { carried, output: own, ...ended } = last;
  if (thread === null) throw journalCorrupt(id, "its output is in a thread, and it is in none");
  const cells = (await readThread(source, thread, carried!.row)).carried;
  const output: unknown = JSON.parse(encode(outputOf(id, carried!, cells, own === undefined ? {} : revive(own))));
  return [...records.slice(0, -1), [kind, { ...ended, output }]];
}

function outputOf(runId: string, carried: CarriedOutput, cells: Fields, own: unknown): unknown {
  if ("at" in carried) return partAt(runId, cells, carried.at);
  const output: Record<string, unknown> = {};
  for (const [key, path] of carried.fields)
    define(output, key, path === null ? (own as Fields)[key] : partAt(runId, cells, path));
  return output;
}

function partAt(runId: string, cells: Fields, path: Path): unknown {
  let part: unknown = cells;
  for (const key of path) {
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key))
      throw journalCorrupt(runId, `its thread does not carry ${path.join(".")}, which its output is made of`);
    part = (part as Fields)[key];
  }
  return part;
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
