import type { Note, Post, StoredNote } from "@millrace/core";
import type { PostedRow } from "@millrace/core/adapter";

import type { Owned } from "../database.ts";
import { bufferOf, keyOf } from "../keys.ts";
import { limitOf } from "./reads.ts";

type Key = Pick<Note, "runId" | "kind" | "key">;
type NoteRow = Note & { readonly handled: number };

export async function insertNote({ database }: Owned, post: Post): Promise<PostedRow | undefined> {
  const { runId, kind, key, bytes, by, at, wakes } = post;
  const values = [keyOf(runId), kind, key, keyOf(key), bufferOf(bytes), by, at, wakes.join(",")];
  return (await database.once<PostedRow>(database.statements.insertNote, values)).rows[0];
}

export async function findNote({ database }: Owned, { runId, kind, key }: Key): Promise<Note | undefined> {
  const values = [keyOf(runId), kind, keyOf(key)];
  const { rows } = await database.once<NoteRow>(database.statements.selectNote, values);
  return rows[0] === undefined ? undefined : toNote(rows[0]);
}

export async function findNotes({ database }: Owned, runId: string): Promise<Note[]> {
  const { rows } = await database.once<NoteRow>(database.statements.selectNotes, [keyOf(runId)]);
  return rows.map(toNote);
}

export async function findAllNotes({ database }: Owned, runId: string): Promise<StoredNote[]> {
  const { rows } = await database.once<NoteRow>(database.statements.selectAllNotes, [keyOf(runId)]);
  return rows.map((row) => ({ ...toNote(row), handled: row.handled === 1 }));
}

export async function deleteNote({ database }: Owned, runId: string, id: number): Promise<void> {
  await database.once(database.statements.deleteNote, [keyOf(runId), id]);
}

export async function findArrivals({ database, ownerN }: Owned, limit: number): Promise<string[]> {
  const values = [ownerN, limitOf(limit)];
  const { rows } = await database.once<{ id: string }>(database.statements.selectArrivals, values);
  return rows.map(({ id }) => id);
}

function toNote({ id, runId, kind, key, bytes, by, at }: Note): Note {
  return { id, runId, kind, key, bytes, by, at };
}
