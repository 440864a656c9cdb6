import type { Note, StoredNote } from "../../../ports/inbox.ts";
import { selectArrivals, selectInbox, selectNote, selectNotes } from "../sql/notes.ts";
import type { Connection, Row } from "./connection.ts";

/** Unhandled notes of a run. */
export function inboxOf(connection: Connection, runId: string): Note[] {
  return connection.all(selectInbox, runId).map((row) => toNote(runId, row));
}

export function notesOf(connection: Connection, runId: string): StoredNote[] {
  return connection.all(selectNotes, runId).map((row) => ({ ...toNote(runId, row), handled: row["handled"] === 1 }));
}

export function arrivalsFor(connection: Connection, owner: string, limit: number): string[] {
  return connection.all(selectArrivals, owner, Math.max(0, limit)).map(({ id }) => String(id));
}

/** The note with this key, handled or not. */
export function findNote(
  connection: Connection,
  { runId, kind, key }: Pick<Note, "runId" | "kind" | "key">,
): Note | undefined {
  const row = connection.get(selectNote, runId, kind, key);
  return row === undefined ? undefined : toNote(runId, row);
}

function toNote(runId: string, row: Row): Note {
  return { runId, ...row } as unknown as Note;
}
