import type { Append } from "@millrace/core";
import type { Group } from "@millrace/core/adapter";

import { bufferOf, byteas, numbers, texts } from "../array-literal.ts";
import type { Values } from "../database.ts";
import type { Statement, Statements } from "../sql/statements.ts";

export interface Prepared {
  readonly statement: Statement;
  readonly values: Values;
  /** The answer is a count, not the positions of the groups that were not lost. */
  readonly counts: boolean;
}

/** The smallest statement that does what the groups ask for. */
export function prepare(groups: readonly Group[], statements: Statements): Prepared {
  const [first] = groups;
  if (groups.length === 1 && first?.entries.length === 1 && !first.more) {
    return { statement: statements.advanceRun, values: ofOne(lastOf(first)), counts: true };
  }
  if (!groups.some(({ more }) => more)) {
    return { statement: statements.advanceRuns, values: ofMany(groups), counts: false };
  }
  const values = [...ofMany(groups), ...ofMore(groups)];
  return { statement: statements.advanceRunsStatus, values, counts: false };
}

function ofOne({ runId, epoch, row, at }: Append): unknown[] {
  return [runId, epoch, row.firstSeq, row.count, row.chain, at, bufferOf(row.bytes)];
}

function ofMany(groups: readonly Group[]): unknown[] {
  const lasts = groups.map(lastOf);
  const rows = groups.flatMap(({ entries }, i) => entries.map(({ append }) => ({ run: i + 1, ...append.row })));
  return [
    texts(groups.map(({ runId }) => runId)),
    numbers(groups.map(({ epoch }) => epoch)),
    numbers(groups.map(({ firstSeq }) => firstSeq)),
    numbers(groups.map(({ lastSeq }) => lastSeq)),
    numbers(lasts.map(({ row }) => row.chain)),
    numbers(lasts.map(({ at }) => at)),
    numbers(rows.map(({ run }) => run)),
    numbers(rows.map(({ firstSeq }) => firstSeq)),
    numbers(rows.map(({ count }) => count)),
    numbers(rows.map(({ chain }) => chain)),
    numbers(rows.map(({ bytes }) => bytes.byteLength)),
    Buffer.concat(rows.map(({ bytes }) => bytes)),
  ];
}

function ofMore(groups: readonly Group[]): unknown[] {
  const lasts = groups.map(lastOf);
  const notes = each(lasts, ({ handled = [] }) => handled);
  const carried = each(lasts, ({ carry }) => (carry === undefined ? [] : [carry]));
  const blobs = each(lasts, ({ blobs: hashes = [] }) => hashes);
  return [
    texts(lasts.map(({ status = null }) => status)),
    texts(lasts.map(({ fingerprint = null }) => fingerprint)),
    numbers(lasts.map(({ release = false }) => release)),
    numbers(lasts.map(({ wakeAt = null }) => wakeAt)),
    numbers(notes.map(([run]) => run)),
    texts(notes.map(([, { kind }]) => kind)),
    texts(notes.map(([, { key }]) => key)),
    numbers(carried.map(([run]) => run)),
    numbers(carried.map(([, { whole }]) => whole)),
    byteas(carried.map(([, { bytes }]) => bytes)),
    numbers(blobs.map(([run]) => run)),
    texts(blobs.map(([, hash]) => hash)),
  ];
}

/** With the position of its run, from 1. */
function each<Part>(lasts: readonly Append[], parts: (append: Append) => readonly Part[]): [run: number, part: Part][] {
  return lasts.flatMap((append, i) => parts(append).map((part): [number, Part] => [i + 1, part]));
}

function lastOf({ entries }: Group): Append {
  return entries.at(-1)!.append;
}
