import { packRow } from "../journal/rows.ts";
import type { Terms } from "../journal/started.ts";
import type { WriterPosition } from "../journal/writer.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, NewRun } from "../ports/backend.ts";
import { runExists, threadBusy } from "./run-errors.ts";

/** What a run is created with. */
export interface FirstRow extends Pick<NewRun, "carriedUpTo" | "blobs"> {
  readonly records: readonly string[];
  readonly at: number;
}

/** Where its journal goes on; null: its thread went on in the meantime, and there is no run. */
export async function createRun(
  backend: Backend,
  plan: Plan,
  runId: string,
  { records, at, ...more }: FirstRow,
  { tags, thread }: Terms,
): Promise<Omit<WriterPosition, "runId"> | null> {
  const first = packRow(records, 1, 0);
  const { name: graph, fingerprint } = plan;
  const created = await backend.create({
    id: runId,
    graph,
    fingerprint,
    createdAt: at,
    ...tags,
    thread,
    ...more,
    first,
  });
  if (created.type === "moved") return null;
  if (created.type === "exists") throw runExists(runId);
  if (created.type === "busy") throw threadBusy(thread ?? "", created.row);
  return { epoch: 1, seq: records.length, chain: first.chain };
}
