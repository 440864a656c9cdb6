import { advanceRun } from "./advance-run.ts";
import { advanceRunsStatus } from "./advance-runs-status.ts";
import { advanceRuns } from "./advance-runs.ts";
import { insertBlob, selectBlob, touchBlob } from "./blobs.ts";
import { restoreCarried, selectCarried, selectCarriedRows, setCarriedUpTo } from "./carried.ts";
import { claimRuns, isHeld, selectClaimed, type ClaimShape } from "./claim-runs.ts";
import { compactRun, noteSnapshot } from "./compact-run.ts";
import { deleteEntry, deleteExpiredEntries, putEntry, selectEntries, selectEntry, touchEntry } from "./entries.ts";
import { fenceAll } from "./fence-all.ts";
import { insertRun } from "./insert-run.ts";
import {
  deleteNote,
  insertNote,
  restoreNotes,
  selectAllNotes,
  selectArrivals,
  selectNote,
  selectNotes,
} from "./notes.ts";
import {
  deleteDeadOwners,
  deleteOwner,
  endNamesakes,
  insertOwner,
  lockOwnerName,
  registerBackend,
  selectLiveOwner,
  selectLivingOwners,
} from "./owners.ts";
import { deleteBlobs, deleteCarriedOfNone, deleteRuns } from "./prune.ts";
import { notify } from "./notify.ts";
import { releaseRun } from "./release-run.ts";
import { requeueRun } from "./requeue-run.ts";
import { restoreJournal, restoreRun, settleRestored } from "./restore-run.ts";
import { selectJournalRow } from "./select-journal-row.ts";
import { selectJournal } from "./select-journal.ts";
import { selectActiveRun, selectRun } from "./select-run.ts";
import { selectNewestInThread, selectRuns, selectRunsOfThread } from "./select-runs.ts";
import { selectStats } from "./select-stats.ts";
import { tablesOf, type Tables } from "./tables.ts";
import { terminateBackend, terminateDeadOwners, terminateFormerBackend } from "./terminate-backends.ts";

/** Prepared under its name, once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

type StatementName =
  | "advanceRun"
  | "advanceRuns"
  | "advanceRunsStatus"
  | "compactRun"
  | "deleteBlobs"
  | "deleteCarriedOfNone"
  | "deleteDeadOwners"
  | "deleteEntry"
  | "deleteExpiredEntries"
  | "deleteNote"
  | "deleteOwner"
  | "deleteRuns"
  | "endNamesakes"
  | "fenceAll"
  | "insertBlob"
  | "insertNote"
  | "insertOwner"
  | "insertRun"
  | "lockOwnerName"
  | "noteSnapshot"
  | "notify"
  | "putEntry"
  | "registerBackend"
  | "releaseRun"
  | "requeueRun"
  | "restoreCarried"
  | "restoreJournal"
  | "restoreNotes"
  | "restoreRun"
  | "selectActiveRun"
  | "selectAllNotes"
  | "selectArrivals"
  | "selectBlob"
  | "selectCarried"
  | "selectCarriedRows"
  | "selectClaimed"
  | "selectEntries"
  | "selectEntry"
  | "selectJournal"
  | "selectJournalRow"
  | "selectLiveOwner"
  | "selectLivingOwners"
  | "selectNewestInThread"
  | "selectNote"
  | "selectNotes"
  | "selectRun"
  | "selectRuns"
  | "selectRunsOfThread"
  | "selectStats"
  | "setCarriedUpTo"
  | "settleRestored"
  | "terminateBackend"
  | "terminateDeadOwners"
  | "terminateFormerBackend"
  | "touchBlob"
  | "touchEntry";

const texts: Readonly<Record<StatementName, (tables: Tables) => string>> = {
  advanceRun,
  advanceRuns,
  advanceRunsStatus,
  compactRun,
  deleteBlobs,
  deleteCarriedOfNone,
  deleteDeadOwners,
  deleteEntry,
  deleteExpiredEntries,
  deleteNote,
  deleteOwner,
  deleteRuns,
  endNamesakes,
  fenceAll,
  insertBlob,
  insertNote,
  insertOwner,
  insertRun,
  lockOwnerName,
  noteSnapshot,
  notify,
  putEntry,
  registerBackend,
  releaseRun,
  requeueRun,
  restoreCarried,
  restoreJournal,
  restoreNotes,
  restoreRun,
  selectActiveRun,
  selectAllNotes,
  selectArrivals,
  selectBlob,
  selectCarried,
  selectCarriedRows,
  selectClaimed,
  selectEntries,
  selectEntry,
  selectJournal,
  selectJournalRow,
  selectLiveOwner,
  selectLivingOwners,
  selectNewestInThread,
  selectNote,
  selectNotes,
  selectRun,
  selectRuns,
  selectRunsOfThread,
  selectStats,
  setCarriedUpTo,
  settleRestored,
  terminateBackend: () => terminateBackend,
  terminateDeadOwners,
  terminateFormerBackend,
  touchBlob,
  touchEntry,
};

export type Statements = Readonly<Record<StatementName, Statement>> & {
  claimRuns(shape: ClaimShape): Statement;
  isHeld(shape: ClaimShape): Statement;
};

export function statementsOf(schema: string): Statements {
  const tables = tablesOf(schema);
  const entries = Object.entries(texts).map(([name, text]) => [name, { name: `millrace_${name}`, text: text(tables) }]);
  const shaped =
    (name: string, text: (tables: Tables, shape: ClaimShape) => string) =>
    (shape: ClaimShape): Statement => {
      const suffix = `${shape.byId ? "_id" : ""}${shape.open ? "_open" : ""}`;
      return { name: `millrace_${name}${suffix}`, text: text(tables, shape) };
    };
  return {
    ...(Object.fromEntries(entries) as Readonly<Record<StatementName, Statement>>),
    claimRuns: shaped("claimRuns", claimRuns),
    isHeld: shaped("isHeld", isHeld),
  };
}
