import { insertBlobPart, selectBlob, touchBlob } from "./blobs.ts";
import { restoreCarried, selectCarried, selectCarriedRows } from "./carried.ts";
import {
  claimRuns,
  lockClaimable,
  selectClaimable,
  selectClaimed,
  selectLivingNumbers,
  type ClaimShape,
} from "./claim-runs.ts";
import { compactRun, noteSnapshot } from "./compact-run.ts";
import { deleteEntry, deleteExpiredEntries, putEntry, selectEntries, selectEntry, touchEntry } from "./entries.ts";
import { deleteHints, insertHint, selectHints } from "./hints.ts";
import { restoreNote, selectAllNotes, selectArrivals, selectNote, selectNotes } from "./notes.ts";
import {
  deleteDeadOwners,
  deleteOwner,
  deleteSessions,
  endNamesakes,
  insertOwner,
  insertSession,
  releaseRuns,
  selectDeadSessions,
  selectLiveOwner,
  selectLivingOwners,
} from "./owners.ts";
import { advanceRun } from "./advance-run.ts";
import { advanceRuns } from "./advance-runs.ts";
import { deleteNote } from "./delete-note.ts";
import { fenceAll } from "./fence-all.ts";
import { insertNote } from "./insert-note.ts";
import { insertRun } from "./insert-run.ts";
import {
  deleteBlobParts,
  deleteBlobs,
  deleteCarried,
  deleteCarriedOfNone,
  deleteRuns,
  lockEnded,
  selectFloors,
  type PruneShape,
} from "./prune.ts";
import { releaseRun } from "./release-run.ts";
import { requeueRun } from "./requeue-run.ts";
import { restoreBlobRefs, restoreJournal, restoreLabels, restoreRun, settleRestored } from "./restore-run.ts";
import { selectJournal, selectJournalRow } from "./select-journal.ts";
import { selectActiveRun, selectRun } from "./select-run.ts";
import { selectRuns, type ListShape } from "./select-runs.ts";
import { selectStats, selectStatusCounts } from "./select-stats.ts";
import { tablesOf, type Tables } from "./tables.ts";

type StatementName =
  | "advanceRun"
  | "advanceRuns"
  | "claimRuns"
  | "compactRun"
  | "deleteBlobParts"
  | "deleteBlobs"
  | "deleteCarried"
  | "deleteCarriedOfNone"
  | "deleteDeadOwners"
  | "deleteEntry"
  | "deleteExpiredEntries"
  | "deleteHints"
  | "deleteNote"
  | "deleteOwner"
  | "deleteSessions"
  | "endNamesakes"
  | "fenceAll"
  | "insertBlobPart"
  | "insertHint"
  | "insertNote"
  | "insertOwner"
  | "insertRun"
  | "insertSession"
  | "lockClaimable"
  | "noteSnapshot"
  | "putEntry"
  | "releaseRun"
  | "releaseRuns"
  | "requeueRun"
  | "restoreBlobRefs"
  | "restoreCarried"
  | "restoreJournal"
  | "restoreLabels"
  | "restoreNote"
  | "restoreRun"
  | "selectActiveRun"
  | "selectAllNotes"
  | "selectArrivals"
  | "selectBlob"
  | "selectCarried"
  | "selectCarriedRows"
  | "selectClaimed"
  | "selectDeadSessions"
  | "selectEntries"
  | "selectEntry"
  | "selectFloors"
  | "selectHints"
  | "selectJournal"
  | "selectJournalRow"
  | "selectLiveOwner"
  | "selectLivingNumbers"
  | "selectLivingOwners"
  | "selectNote"
  | "selectNotes"
  | "selectRun"
  | "selectStats"
  | "selectStatusCounts"
  | "settleRestored"
  | "touchBlob"
  | "touchEntry";

const texts: Readonly<Record<StatementName, (tables: Tables) => string>> = {
  advanceRun: advanceRun.call,
  advanceRuns: advanceRuns.call,
  claimRuns,
  compactRun: compactRun.call,
  deleteBlobParts,
  deleteBlobs,
  deleteCarried,
  deleteCarriedOfNone,
  deleteDeadOwners,
  deleteEntry,
  deleteExpiredEntries,
  deleteHints,
  deleteNote: deleteNote.call,
  deleteOwner,
  deleteSessions,
  endNamesakes,
  fenceAll: fenceAll.call,
  insertBlobPart,
  insertHint,
  insertNote: insertNote.call,
  insertOwner,
  insertRun: insertRun.call,
  insertSession,
  lockClaimable,
  noteSnapshot,
  putEntry,
  releaseRun,
  releaseRuns,
  requeueRun: requeueRun.call,
  restoreBlobRefs,
  restoreCarried,
  restoreJournal,
  restoreLabels,
  restoreNote,
  restoreRun,
  selectActiveRun,
  selectAllNotes,
  selectArrivals,
  selectBlob,
  selectCarried,
  selectCarriedRows,
  selectClaimed,
  selectDeadSessions,
  selectEntries,
  selectEntry,
  selectFloors,
  selectHints,
  selectJournal,
  selectJournalRow,
  selectLiveOwner,
  selectLivingNumbers,
  selectLivingOwners,
  selectNote,
  selectNotes,
  selectRun,
  selectStats,
  selectStatusCounts,
  settleRestored,
  touchBlob,
  touchEntry,
};

export type Statements = Readonly<Record<StatementName, string>> & {
  /** As `LIKE` takes it. */
  readonly tableNames: string;
  readonly deleteRuns: readonly string[];
  readonly selectClaimable: (shape: ClaimShape) => string;
  readonly selectRuns: (shape: ListShape) => string;
  readonly lockEnded: (shape: PruneShape) => string;
};

export function statementsOf(prefix: string): Statements {
  const tables = tablesOf(prefix);
  const entries = Object.entries(texts).map(([name, text]) => [name, text(tables)]);
  return {
    ...(Object.fromEntries(entries) as Readonly<Record<StatementName, string>>),
    tableNames: likeNamesOf(prefix),
    deleteRuns: deleteRuns(tables),
    selectClaimable: (shape) => selectClaimable(tables, shape),
    selectRuns: (shape) => selectRuns(tables, shape),
    lockEnded: (shape) => lockEnded(tables, shape),
  };
}

/** `_` stands for any character there. */
export function likeNamesOf(prefix: string): string {
  return `${prefix.replaceAll("_", String.raw`\_`)}%`;
}
