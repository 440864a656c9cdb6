import type { Entry, EntryRange, NewEntry } from "@millrace/core";

import type { Owned } from "../database.ts";
import { bufferOf } from "../keys.ts";
import { limitOf } from "./reads.ts";

export async function findEntry({ database }: Owned, place: Uint8Array): Promise<Entry | undefined> {
  return (await database.once<Entry>(database.statements.selectEntry, [bufferOf(place)])).rows[0];
}

export async function scanEntries(
  { database }: Owned,
  { after, before, limit }: EntryRange,
  size: number,
): Promise<Entry[]> {
  const values = [bufferOf(after), bufferOf(before), limitOf(limit), size];
  return (await database.once<Entry>(database.statements.selectEntries, values)).rows;
}

export async function putEntry({ database }: Owned, { place, bytes, ttlMs, refresh }: NewEntry): Promise<void> {
  const values = [bufferOf(place), bufferOf(bytes), bytes.byteLength, ttlMs, refresh ? ttlMs : null];
  await database.once(database.statements.putEntry, values);
}

export async function touchEntry({ database }: Owned, place: Uint8Array): Promise<void> {
  await database.once(database.statements.touchEntry, [bufferOf(place)]);
}

export async function deleteEntry({ database }: Owned, place: Uint8Array): Promise<void> {
  await database.once(database.statements.deleteEntry, [bufferOf(place)]);
}

export async function expireEntries({ database }: Owned, limit: number): Promise<number> {
  return (await database.once(database.statements.deleteExpiredEntries, [limitOf(limit)])).count;
}
