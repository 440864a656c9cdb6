import { advanceRun } from "./advance-run.ts";
import { advanceRuns } from "./advance-runs.ts";
import { compactRun } from "./compact-run.ts";
import { deleteNote } from "./delete-note.ts";
import { fenceAll } from "./fence-all.ts";
import { insertNote } from "./insert-note.ts";
import { insertRun } from "./insert-run.ts";
import type { Procedure } from "./procedure.ts";
import { requeueRun } from "./requeue-run.ts";

/** All that a database of this version has. */
export const procedures: readonly Procedure[] = [
  advanceRun,
  advanceRuns,
  insertRun,
  insertNote,
  deleteNote,
  requeueRun,
  fenceAll,
  compactRun,
];
