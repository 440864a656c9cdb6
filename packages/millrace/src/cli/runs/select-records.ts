/** Which of a run's records are shown. */
import type { HistoryEntry } from "@millrace/core";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode } from "../exit.ts";
import { list } from "../format/text.ts";
import { nearest } from "../nearest.ts";

export interface Selection {
  readonly runId: string;
  /** Name or path of a node, or of a block around it. */
  readonly node: string | undefined;
  /** Only so many, from the end. */
  readonly last: number | undefined;
  readonly limit: number;
}

/** Filled while the records are read. */
export interface Found {
  records: number;
  /** The first record that was left out by the limit. */
  next: number | undefined;
}

export async function* select(
  records: AsyncIterable<HistoryEntry>,
  selection: Selection,
  found: Found,
): AsyncGenerator<HistoryEntry, void> {
  const { last, limit } = selection;
  const kept: HistoryEntry[] = [];
  for await (const entry of matching(records, selection)) {
    if (last !== undefined) {
      kept.push(entry);
      // Now and then, so that it stays cheap.
      if (kept.length > 2 * last) kept.splice(0, kept.length - last);
    } else if (found.records >= limit) {
      found.next = entry.seq;
      return;
    } else {
      found.records++;
      yield entry;
    }
  }
  for (const entry of last === undefined ? [] : kept.slice(-last)) {
    found.records++;
    yield entry;
  }
}

async function* matching(
  records: AsyncIterable<HistoryEntry>,
  { runId, node }: Selection,
): AsyncGenerator<HistoryEntry, void> {
  const names = new Set<string>();
  let matched = node === undefined;
  for await (const entry of records) {
    if (entry.node !== undefined) names.add(entry.node);
    if (node !== undefined && !isOf(entry, node)) continue;
    matched = true;
    yield entry;
  }
  if (!matched) throw noSuchNode(runId, node ?? "", [...names]);
}

/** It is the node, or inside of the block, item or iteration of that name or path. */
export function isOf({ node = "", path = "" }: HistoryEntry, wanted: string): boolean {
  return [node, path].some(
    (name) => name === wanted || name.startsWith(`${wanted}/`) || (name === path && isInside(name, wanted)),
  );
}

/** `a/b` has `a/b[3]/c` and `a/b#0/c` in it. */
function isInside(path: string, wanted: string): boolean {
  return path.startsWith(`${wanted}[`) || path.startsWith(`${wanted}#`);
}

/** More names than these are not listed. */
const listed = 12;

export function noSuchNode(runId: string, node: string, names: readonly string[]): CliFailure {
  const near = nearest(node, names);
  const known =
    names.length === 0
      ? "no node has done anything yet"
      : `there are ${list(names.slice(0, listed))}${names.length > listed ? `, and ${names.length - listed} more` : ""}`;
  return new CliFailure("NodeNotFound", `run ${runId} has no record of ${JSON.stringify(node)}`, {
    exit: ExitCode.notFound,
    hint: near === undefined ? known : `did you mean ${near}? ${known}`,
  });
}
