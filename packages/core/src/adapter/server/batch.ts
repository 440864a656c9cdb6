import type { Append } from "../../ports/backend.ts";

import { changesMore, type Entry } from "./entry.ts";

/** Appends of one run that follow each other: all of them happen, or none. Only the last may do more than append. */
export interface Group {
  readonly entries: Entry[];
  readonly runId: string;
  readonly epoch: number;
  readonly firstSeq: number;
  lastSeq: number;
  more: boolean;
}

export interface Batch {
  readonly groups: readonly Group[];
  /** What stays in the queue, in order. */
  readonly rest: Entry[];
}

/** One commit holds no more, unless one append alone does, so that a burst does not keep its first writers waiting. */
const mostBytes = 8 << 20;
const mostEntries = 1_000;

/** What goes into the next commit: of every run as many appends as can share it, in the order they came (B5). */
export function takeBatch(queue: readonly Entry[]): Batch {
  const groups = new Map<string, Group>();
  const rest: Entry[] = [];
  const left = new Set<string>();
  let bytes = 0;
  let taken = 0;
  for (const entry of queue) {
    const { runId, row } = entry.append;
    const isFull =
      taken > 0 && (taken >= mostEntries || bytes + row.bytes.byteLength > mostBytes || entry.company === "alone");
    if (isFull || left.has(runId) || !join(groups, entry)) {
      left.add(runId);
      rest.push(entry);
      continue;
    }
    taken = entry.company === "alone" ? mostEntries : taken + 1;
    bytes += row.bytes.byteLength;
  }
  return { groups: [...groups.values()], rest };
}

function join(groups: Map<string, Group>, entry: Entry): boolean {
  const { append } = entry;
  const { runId, epoch, row } = append;
  const lastSeq = row.firstSeq + row.count - 1;
  const group = groups.get(runId);
  if (group === undefined) {
    const more = changesMore(append);
    groups.set(runId, { entries: [entry], runId, epoch, firstSeq: row.firstSeq, lastSeq, more });
    return true;
  }
  if (!follows(group, append) || entry.company !== "any") return false;
  group.entries.push(entry);
  group.lastSeq = lastSeq;
  group.more = changesMore(append);
  return true;
}

function follows(group: Group, { epoch, row }: Append): boolean {
  return (
    !group.more && group.entries[0]?.company === "any" && group.epoch === epoch && row.firstSeq === group.lastSeq + 1
  );
}
