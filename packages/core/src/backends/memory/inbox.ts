import { endedStatuses, type RunRow } from "../../ports/backend.ts";
import type { NewNote, Note, Post, PostResult } from "../../ports/inbox.ts";
import { copyNote, hint, isOwned, type Store, type StoredNote, type StoredRun } from "./store.ts";

/** B9 */
export function post(store: Store, post: Post): PostResult {
  const run = store.runs.get(post.runId);
  if (run === undefined || endedStatuses.has(run.row.status)) return { type: "refused", row: run?.row };
  const standing = find(run, post.kind, post.key);
  if (standing !== undefined) return { type: "exists", note: copyNote(standing.note), row: run.row };
  const note = newNote(store, post);
  run.notes.push({ note, handled: false });
  if (post.wakes.includes(run.row.status)) run.row = woken(run.row, isOwned(store, run.row), post.at);
  hint(store);
  return { type: "posted", row: run.row, id: note.id };
}

/** One that is just being taken up is due: should its owner die before it wrote that it goes on, somebody else wakes it. */
function woken(row: RunRow, owned: boolean, at: number): RunRow {
  if (!owned) return { ...row, status: "queued", wakeAt: null, owner: null, updatedAt: at };
  return row.status === "interrupted" ? { ...row, wakeAt: 0 } : row;
}

export function newNote(store: Store, said: NewNote): Note {
  store.lastNote += 1;
  return copyNote({ ...said, id: store.lastNote });
}

export function unhandled(run: StoredRun | undefined): Note[] {
  return (run?.notes ?? []).filter(({ handled }) => !handled).map(({ note }) => copyNote(note));
}

export function handle(run: StoredRun, handled: readonly Pick<Note, "kind" | "key">[]): void {
  for (const { kind, key } of handled) {
    const standing = find(run, kind, key);
    if (standing !== undefined) standing.handled = true;
  }
}

export function reject(run: StoredRun | undefined, id: number): void {
  const index = run?.notes.findIndex(({ note, handled }) => !handled && note.id === id) ?? -1;
  if (index !== -1) run?.notes.splice(index, 1);
}

function find(run: StoredRun, kind: Note["kind"], key: string): StoredNote | undefined {
  return run.notes.find(({ note }) => note.kind === kind && note.key === key);
}
