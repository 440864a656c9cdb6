import { packRow } from "../journal/rows.ts";
import { freeAmong, JournalSize } from "../journal/size.ts";
import type { Terms } from "../journal/started.ts";
import type { WriterPosition } from "../journal/writer-position.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, NewRun } from "../ports/backend.ts";
import { runExists, threadBusy } from "./run-errors.ts";

/** What a run is created with. */
export interface FirstRow extends Pick<NewRun, "carriedUpTo" | "blobs"> {
  readonly records: readonly string[];
  readonly at: number;
}

/**
 * Where its journal goes on; null: its thread went on in the meantime, and there is no run. `giveBack` is called when nobody
 * can say whether it was created: nobody here would drive a run that was.
 */
export async function createRun(
  backend: Backend,
  plan: Plan,
  runId: string,
  { records, at, ...more }: FirstRow,
  { tags, thread, follows, limits }: Terms,
  giveBack: (run: { readonly id: string; readonly epoch: number }) => void,
): Promise<Omit<WriterPosition, "runId" | "snapshots" | "exit" | "alive"> | null> {
  const first = packRow(records, 1, 0);
  const { firstEpoch: epoch = 1 } = backend;
  const { name: graph, fingerprint } = plan;
  const run: NewRun = { id: runId, graph, fingerprint, createdAt: at, ...tags, thread, follows, ...more, first };
  const created = await backend.create(run).catch((error: unknown) => {
    giveBack({ id: runId, epoch });
    throw error;
  });
  if (created.type === "moved") return null;
  if (created.type === "exists") throw runExists(runId);
  if (created.type === "busy") throw threadBusy(thread ?? "", created.row);
  const size = new JournalSize();
  size.add(first, freeAmong(plan, records));
  return { epoch, seq: records.length, chain: first.chain, size, limits };
}
