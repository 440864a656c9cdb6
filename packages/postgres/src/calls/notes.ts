import type { Note, Post, StoredNote } from "@millrace/core";
import type { PostedRow } from "@millrace/core/adapter";

import { bufferOf, texts } from "../array-literal.ts";
import type { Owned } from "../database.ts";

type Key = Pick<Note, "runId" | "kind" | "key">;

export async function insertNote({ database }: Owned, post: Post): Promise<PostedRow | undefined> {
  const { runId, kind, key, bytes, by, at, wakes } = post;
  const values = [runId, kind, key, bufferOf(bytes), by, at, texts(wakes)];
  return (await database.once<PostedRow>(database.statements.insertNote, values)).rows[0];
}

export async function findNote({ database }: Owned, { runId, kind, key }: Key): Promise<Note | undefined> {
  return (await database.once<Note>(database.statements.selectNote, [runId, kind, key])).rows[0];
}

export async function findNotes({ database }: Owned, runId: string): Promise<Note[]> {
  return (await database.once<Note>(database.statements.selectNotes, [runId])).rows;
}

export async function findAllNotes({ database }: Owned, runId: string): Promise<StoredNote[]> {
  return (await database.once<StoredNote>(database.statements.selectAllNotes, [runId])).rows;
}

export async function deleteNote({ database }: Owned, runId: string, id: number): Promise<void> {
  await database.once(database.statements.deleteNote, [runId, id]);
}

export async function findArrivals({ database, ownerN }: Owned, limit: number): Promise<string[]> {
  const { rows } = await database.once<{ id: string }>(database.statements.selectArrivals, [ownerN, limit]);
  return rows.map(({ id }) => id);
}
