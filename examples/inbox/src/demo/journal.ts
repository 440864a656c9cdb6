import { openEngine, sqlite } from "millrace";
import { runId } from "./messages.ts";

/** What the database says about the run while nobody runs it. */
export interface Journal {
  readonly records: number;
  /** Invocations with a result or a final failure, by node. */
  readonly finished: Readonly<Record<string, number>>;
}

/** Reads the journal as any process may, and leaves the run where it is. */
export async function readJournal(database: string): Promise<Journal> {
  await using engine = await openEngine({ backend: sqlite(database), recover: false });
  const run = await engine.get(runId);
  if (run === undefined) return { records: 0, finished: {} };
  const finished = { ...run.finished };
  for (const [node, failures] of Object.entries(run.failed)) finished[node] = (finished[node] ?? 0) + failures;
  return { records: run.lastSeq, finished };
}
