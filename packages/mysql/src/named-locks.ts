import type { Connection } from "mysql2/promise";

import type { SessionOptions } from "./session.ts";

/**
 * A connection of an owner holds a named lock for as long as it lasts, and the server lets it go when all else that it did is
 * over or undone: by it a connection is told from a later one with its number, and its end can be waited for (H3, H16).
 */
export function sessionLock({ lockScope, ownerN }: SessionOptions, id: number): string {
  return `${lockScope}:${ownerN}:${id}`;
}

export async function takeLock(client: Connection, name: string, seconds: number): Promise<boolean> {
  const [rows] = await client.query("SELECT GET_LOCK(?, ?) AS taken", [name, seconds]);
  return (rows as { taken: number | null }[])[0]?.taken === 1;
}

export async function leaveLock(client: Connection, name: string): Promise<void> {
  await client.query("SELECT RELEASE_LOCK(?)", [name]);
}

/** Seconds in which a connection that was ended is over; undoing a large transaction may take a while. */
const endSeconds = 10;

/** Ends the connection that holds the lock, if it is that one, and waits until it is over. False: it is not over in time. */
export async function endHolder(client: Connection, name: string, id: number): Promise<boolean> {
  const [rows] = await client.query("SELECT IS_USED_LOCK(?) AS holder", [name]);
  if ((rows as { holder: number | null }[])[0]?.holder === id) {
    // 1094: it ended by itself meanwhile.
    await client.query(`KILL CONNECTION ${id}`).catch((error: unknown) => {
      if ((error as { readonly errno?: number }).errno !== 1094) throw error;
    });
  }
  if (!(await takeLock(client, name, endSeconds))) return false;
  await leaveLock(client, name);
  return true;
}
