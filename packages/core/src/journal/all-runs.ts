import type { Backend, RunFilter, RunRow } from "../ports/backend.ts";

const portion = 500;

/**
 * Every run that matches, newest first, a portion at a time: also those of a store that is too large for one list. Runs
 * that are created or deleted meanwhile may or may not come; no run comes twice.
 */
export async function* allRuns(
  backend: Pick<Backend, "list">,
  filter: Omit<RunFilter, "limit" | "createdUntil"> = {},
): AsyncGenerator<RunRow, void, undefined> {
  let createdUntil = Number.MAX_SAFE_INTEGER;
  let limit = portion;
  /** Of the oldest moment that was reached: they come again. */
  let seen: ReadonlySet<string> = new Set();
  for (;;) {
    const rows = await backend.list({ ...filter, createdUntil, limit });
    yield* rows.filter(({ id }) => !seen.has(id));
    const oldest = rows.at(-1);
    if (oldest === undefined || rows.length < limit) return;
    // More runs of one moment than a portion holds: the next one must reach beyond them.
    if (oldest.createdAt === createdUntil) limit *= 2;
    createdUntil = oldest.createdAt;
    seen = new Set(rows.filter((row) => row.createdAt === createdUntil).map(({ id }) => id));
  }
}
