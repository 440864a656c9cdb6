import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

export function selectRun({ runs }: Tables): string {
  return `
SELECT ${runColumns} FROM ${runs} AS r WHERE r.id_key = ?`;
}

/** The one of a thread that has not ended. */
export function selectActiveRun({ runs }: Tables): string {
  return `
SELECT ${runColumns} FROM ${runs} AS r WHERE r.active_key = ?`;
}
