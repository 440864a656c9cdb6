import type { Note, Post, PostResult } from "../../ports/inbox.ts";
import { attempting } from "./attempts.ts";
import { isEqual } from "./bytes.ts";
import type { PatientCalls } from "./calls.ts";
import { toRunRow } from "./stored-row.ts";

/** B9 */
export async function postNote(calls: PatientCalls, post: Post): Promise<PostResult> {
  return attempting(calls, async (wasLost) => {
    const posted = await calls.insertNote(post);
    if (posted !== undefined) return { type: "posted", row: toRunRow(posted), id: posted.noteId };
    const stored = await calls.findRun(post.runId);
    const row = stored === undefined ? undefined : toRunRow(stored);
    const note = await calls.findNote(post);
    if (row === undefined || note === undefined) return { type: "refused", row };
    // H16: it may be this very call that posted it.
    if (wasLost && isSame(note, post)) return { type: "posted", row, id: note.id };
    return row.endedAt === null ? { type: "exists", note, row } : { type: "refused", row };
  });
}

function isSame(note: Note, post: Post): boolean {
  return note.by === post.by && note.at === post.at && isEqual(note.bytes, post.bytes);
}
