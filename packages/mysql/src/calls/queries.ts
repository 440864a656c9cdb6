import type { ServerQueries } from "@millrace/core/adapter";

import type { Owned } from "../database.ts";
import { getBlob, putBlob } from "./blobs.ts";
import { claim, findClaimed, freeHeld } from "./claim.ts";
import { compact, noteSnapshot } from "./compact.ts";
import { insertRun } from "./create.ts";
import { deleteEntry, expireEntries, findEntry, putEntry, scanEntries, touchEntry } from "./entries.ts";
import { deleteNote, findAllNotes, findArrivals, findNote, findNotes, insertNote } from "./notes.ts";
import { fenceAll, release, requeue } from "./ownership.ts";
import { findActive, findCarried, findLiving, findRun, findTail, listRuns, readPage } from "./reads.ts";
import { restoring } from "./restore.ts";
import { prune, stats } from "./retention.ts";

export const queries: ServerQueries<Owned> = {
  insertRun,
  findRun,
  findActive,
  findTail,
  listRuns,
  readPage,
  noteSnapshot,
  compact,
  claim,
  findClaimed,
  freeHeld,
  release,
  requeue,
  fenceAll,
  findLiving,
  insertNote,
  findNote,
  findNotes,
  findAllNotes,
  deleteNote,
  findArrivals,
  restoring,
  findCarried,
  putBlob,
  getBlob,
  prune,
  findEntry,
  scanEntries,
  putEntry,
  touchEntry,
  deleteEntry,
  expireEntries,
  stats,
};
