import type { Note, Post, PostResult, StoredNote } from "@millrace/core";

import { bufferOf, texts } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import { isLost } from "../failure.ts";
import { toRunRow, type StoredRow } from "../run-row.ts";
import { isStorable } from "../text.ts";
import { findRun } from "./reads.ts";

type NoteRow = Note & Record<string, unknown>;

/** B9 */
export async function postNote(connections: Connections, post: Post): Promise<PostResult> {
  if (!isStorable(post.runId)) return { type: "refused", row: undefined };
  let wasLost = false;
  return connections.database.attempt(async () => {
    try {
      return await insert(connections, post, wasLost);
    } catch (error) {
      wasLost ||= isLost(error);
      throw error;
    }
  });
}

async function insert(connections: Connections, post: Post, wasLost: boolean): Promise<PostResult> {
  const { database } = connections;
  const { insertNote, selectNote } = database.statements;
  const { runId, kind, key, bytes, by, at, wakes } = post;
  const values = [runId, kind, key, bufferOf(bytes), by, at, texts(wakes)];
  const posted = (await database.once<StoredRow & { noteId: number }>(insertNote, values)).rows[0];
  if (posted !== undefined) return { type: "posted", row: toRunRow(posted), id: posted.noteId };
  const row = await findRun(connections, runId);
  const [note] = (await database.once<NoteRow>(selectNote, [runId, kind, key])).rows;
  if (row === undefined || note === undefined) return { type: "refused", row };
  // H16: it may be this very call that posted it.
  if (wasLost && isSame(note, post)) return { type: "posted", row, id: note.id };
  return row.endedAt === null ? { type: "exists", note: toNote(note), row } : { type: "refused", row };
}

function isSame(note: Note, post: Post): boolean {
  return note.by === post.by && note.at === post.at && bufferOf(post.bytes).equals(note.bytes);
}

export async function readNotes({ database }: Connections, runId: string): Promise<Note[]> {
  if (!isStorable(runId)) return [];
  const { rows } = await database.query<NoteRow>(database.statements.selectNotes, [runId]);
  return rows.map(toNote);
}

/** Handled or not. */
export async function readAllNotes({ database }: Connections, runId: string): Promise<StoredNote[]> {
  if (!isStorable(runId)) return [];
  const { rows } = await database.query<StoredNote & Record<string, unknown>>(database.statements.selectAllNotes, [
    runId,
  ]);
  return rows.map((row) => ({ ...toNote(row), handled: row.handled }));
}

export async function rejectNote({ database }: Connections, runId: string, id: number): Promise<void> {
  if (isStorable(runId)) await database.query(database.statements.deleteNote, [runId, id]);
}

function toNote({ id, runId, kind, key, bytes, by, at }: Note): Note {
  return { id, runId, kind, key, bytes, by, at };
}
