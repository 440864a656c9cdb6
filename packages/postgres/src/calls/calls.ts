import type { ServerCalls } from "@millrace/core/adapter";

import type { Owned } from "../database.ts";
import { getBlob, putBlob } from "./blobs.ts";
import { claim, findClaimed, freeHeld } from "./claim.ts";
import { compact, noteSnapshot } from "./compact.ts";
import { insertRun } from "./create.ts";
import { deleteNote, findAllNotes, findArrivals, findNote, findNotes, insertNote } from "./notes.ts";
import { fenceAll, release, requeue } from "./ownership.ts";
import { findActive, findCarried, findLiving, findRun, findTail, listRuns, readPage } from "./reads.ts";
import { restoring } from "./restore.ts";
import { prune, readStats } from "./retention.ts";

export function callsOf(owned: Owned): ServerCalls {
  const { database } = owned;
  return {
    failures: database.failures,
    attempt: (work) => database.attempt(work),
    insertRun: (run) => insertRun(owned, run),
    findRun: (id) => findRun(owned, id),
    findActive: (thread) => findActive(owned, thread),
    findTail: (id, firstSeq) => findTail(owned, id, firstSeq),
    listRuns: (filter) => listRuns(owned, filter),
    readPage: (id, fromSeq) => readPage(owned, id, fromSeq),
    noteSnapshot: (id, seq) => noteSnapshot(owned, id, seq),
    compact: (request) => compact(owned, request),
    claim: (request, mark) => claim(owned, request, mark),
    findClaimed: (mark) => findClaimed(owned, mark),
    freeHeld: (request) => freeHeld(owned, request),
    release: (id, epoch, unbegun) => release(owned, id, epoch, unbegun),
    requeue: (id, at) => requeue(owned, id, at),
    fenceAll: (request) => fenceAll(owned, request),
    findLiving: (owners) => findLiving(owned, owners),
    insertNote: (post) => insertNote(owned, post),
    findNote: (note) => findNote(owned, note),
    findNotes: (id) => findNotes(owned, id),
    findAllNotes: (id) => findAllNotes(owned, id),
    deleteNote: (runId, id) => deleteNote(owned, runId, id),
    findArrivals: (limit) => findArrivals(owned, limit),
    restoring: (_thread, work) => restoring(owned, work),
    findCarried: (thread, upTo) => findCarried(owned, thread, upTo),
    putBlob: (hash, bytes) => putBlob(owned, hash, bytes),
    getBlob: (hash) => getBlob(owned, hash),
    prune: (request) => prune(owned, request),
    stats: () => readStats(owned),
  };
}
