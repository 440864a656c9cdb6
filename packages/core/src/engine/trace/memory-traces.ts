import type { Trace, TraceRecord, TraceSink } from "../../ports/trace.ts";

export interface MemoryTraces extends TraceSink {
  /** Every record as it was written, also those that others took the place of. */
  readonly records: readonly TraceRecord[];
  trace(runId: string): Trace | undefined;
}

/** Traces that stay in memory: for tests and for a look at a run from within. It keeps everything; mind long processes. */
export function memoryTraces(): MemoryTraces {
  const records: TraceRecord[] = [];
  return {
    records,
    write: (record) => void records.push(record),
    trace: (runId) => traceOf(records.filter((record) => record.runId === runId)),
  };
}

function traceOf(records: readonly TraceRecord[]): Trace | undefined {
  const last = new Map<string, TraceRecord>();
  for (const record of records) last.set(keyOf(record), record);
  const kept = [...last.values()];
  const run = kept.find((record) => record.type === "run");
  if (run === undefined) return undefined;
  return {
    run,
    invocations: kept.filter((record) => record.type === "invocation"),
    attempts: kept.filter((record) => record.type === "attempt"),
    yields: kept.filter((record) => record.type === "yield"),
  };
}

function keyOf(record: TraceRecord): string {
  if (record.type === "run") return "run";
  if (record.type === "invocation") return `invocation ${record.path}`;
  if (record.type === "attempt") return `attempt ${record.path} ${record.attempt}`;
  return `yield ${record.path} ${record.index}`;
}
