import { runColumns } from "./run-columns.ts";

/** How many owners in a row died over a run, were it taken now. */
const deaths = `
CASE
  WHEN $named THEN 0
  WHEN owner IS NULL THEN attempts
  WHEN last_seq > claimed_seq + 1 OR $at - claimed_at > $longLife THEN 1
  ELSE attempts + 1 END`;

const free = `
    id NOT IN (SELECT value FROM json_each($except))
    AND (owner IS NULL OR owner IN (SELECT value FROM json_each($deadOwners)))
    AND ($graphs IS NULL OR EXISTS (
      SELECT 1 FROM json_each($graphs) AS held
      WHERE held.value ->> 0 = graph AND coalesce(held.value ->> 1, fingerprint) = fingerprint))`;

const isDue = "$due AND status = 'interrupted' AND wake_at <= $at";

/**
 * B6: takes over and returns in one statement, so only what came back may run (H7).
 *
 * `deadOwners` is a JSON array; `graphs` is one of pairs of graph and fingerprint or null, or null for all; `except` is
 * one of ids; `holdBacks` is
 * one of milliseconds by the number of deaths, the last one standing for all beyond; `maxAttempts` may be null. `named` and
 * `due` are 0 or 1.
 */
function claim(candidates: string): string {
  return `
UPDATE millrace_runs SET
  attempts = deaths,
  updated_at = $at,
  status = CASE WHEN deaths > $maxAttempts THEN 'quarantined' ELSE status END,
  owner = CASE WHEN deaths > $maxAttempts THEN NULL ELSE $owner END,
  epoch = CASE WHEN deaths > $maxAttempts THEN epoch ELSE epoch + 1 END,
  claimed_at = $at,
  claimed_seq = last_seq,
  hold_until = $at + ($holdBacks ->> min(deaths, json_array_length($holdBacks) - 1))
FROM (${candidates}
  ORDER BY created_at, run
  LIMIT $limit) AS candidate
WHERE n = candidate.run
RETURNING n, ${runColumns}`;
}

const candidate = `
  SELECT n AS run, created_at, ${deaths} AS deaths FROM millrace_runs`;

/** Left to itself, SQLite would look through all runs at rest for those that have a time. */
const dueCandidate = `${candidate} INDEXED BY millrace_runs_due`;

/** Also `$runId`, and `statuses`, a JSON array. */
export const claimRun: string = claim(`${candidate}
  WHERE id = $runId AND (status IN (SELECT value FROM json_each($statuses)) OR ${isDue}) AND ${free}`);

/**
 * Also `$status0`, `$status1`, … A search for each status ends with the limit, because the index has its runs in order of
 * age: a long queue costs no more than a short one.
 */
export function claimRuns(statuses: number): string {
  const byStatus = Array.from({ length: statuses }, (_, i) => search(candidate, `status = $status${i}`));
  return claim([search(dueCandidate, isDue), ...byStatus].join("\n  UNION"));
}

function search(candidates: string, condition: string): string {
  return `
  SELECT * FROM (${candidates}
  WHERE ${condition} AND hold_until <= $at AND ${free}
  ORDER BY created_at, n
  LIMIT $limit)`;
}
