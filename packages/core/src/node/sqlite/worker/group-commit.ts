import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { breaksHandle, isBusy } from "./failure.ts";
import type { Write } from "./write.ts";

export type Outcome =
  | { readonly write: Write; readonly ok: true; readonly answer: unknown }
  | { readonly write: Write; readonly ok: false; readonly error: unknown };

export interface GroupResult {
  readonly outcomes: readonly Outcome[];
  /** Untouched, in order, because another process holds the write lock. */
  readonly busy: readonly Write[];
  readonly error?: unknown;
}

/**
 * All writes in one transaction. When that fails, none of them may suffer for another (H14): each is then tried alone,
 * after a look at what a COMMIT of unknown outcome left behind (H16).
 */
export function commitGroup(database: Database, writes: readonly Write[]): GroupResult {
  const group = attempt(database, writes);
  if (group.committed) return { outcomes: succeed(writes, group.answers), busy: [] };
  if (isBusy(group.error)) return { outcomes: [], busy: writes, error: group.error };
  const outcomes: Outcome[] = [];
  for (const [i, write] of writes.entries()) {
    const outcome = wasDurable(database, write, group, i) ?? commitAlone(database, write, group.error, writes.length);
    if (!outcome.ok && isBusy(outcome.error)) return { outcomes, busy: writes.slice(i), error: outcome.error };
    outcomes.push(outcome);
  }
  return { outcomes, busy: [] };
}

interface Attempt {
  readonly committed: boolean;
  /** Of `apply`, as far as it came. */
  readonly answers: readonly unknown[];
  /** COMMIT itself failed: all or nothing happened, and only the database knows which. */
  readonly unknown: boolean;
  readonly error: unknown;
}

function attempt(database: Database, writes: readonly Write[]): Attempt {
  const answers: unknown[] = [];
  let committing = false;
  let connection: Connection | undefined;
  try {
    connection = database.writer();
    connection.begin();
    for (const write of writes) answers.push(write.apply(connection));
    committing = true;
    connection.commit();
    return { committed: true, answers, unknown: false, error: undefined };
  } catch (error) {
    rollback(connection);
    if (committing || breaksHandle(error)) reopenQuietly(database);
    return { committed: false, answers, unknown: committing, error };
  }
}

function commitAlone(database: Database, write: Write, cause: unknown, groupSize: number): Outcome {
  // A lone write that failed for a reason of its own fails again; after a broken handle it has a second chance.
  if (groupSize === 1 && !breaksHandle(cause)) return { write, ok: false, error: cause };
  const again = attempt(database, [write]);
  if (again.committed) return { write, ok: true, answer: again.answers[0] };
  return wasDurable(database, write, again, 0) ?? { write, ok: false, error: again.error };
}

function wasDurable(database: Database, write: Write, attempted: Attempt, index: number): Outcome | undefined {
  if (!attempted.unknown || write.isDurable === undefined) return undefined;
  const answer = attempted.answers[index];
  try {
    return write.isDurable(database.writer(), answer) ? { write, ok: true, answer } : undefined;
  } catch {
    return undefined;
  }
}

function succeed(writes: readonly Write[], answers: readonly unknown[]): Outcome[] {
  return writes.map((write, i) => ({ write, ok: true, answer: answers[i] }));
}

function rollback(connection: Connection | undefined): void {
  try {
    connection?.rollback();
  } catch {
    // Closing the handle, which follows, rolls back too.
  }
}

/** If even that fails, the next use opens it, and reports why it cannot. */
function reopenQuietly(database: Database): void {
  try {
    database.reopen();
  } catch {
    database.close();
  }
}
