import { runColumns } from "./run-columns.ts";

/** B10: the run of a thread that has not ended. */
export const selectActiveInThread: string = `
SELECT ${runColumns} FROM millrace_runs WHERE thread = ? AND ended_at IS NULL LIMIT 1`;
