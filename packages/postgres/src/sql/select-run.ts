import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

export function selectRun({ runs }: Tables): string {
  return `
SELECT ${runColumns} FROM ${runs} AS r WHERE r.id = $1`;
}

/** The one of a thread that has not ended. */
export function selectActiveRun({ runs }: Tables): string {
  return `
SELECT ${runColumns} FROM ${runs} AS r WHERE r.thread = $1 AND r.ended_at IS NULL`;
}
