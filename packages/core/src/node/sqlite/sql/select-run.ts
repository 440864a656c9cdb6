import { runColumns } from "./run-columns.ts";

export const selectRun: string = `
SELECT ${runColumns} FROM millrace_runs WHERE id = ?`;
