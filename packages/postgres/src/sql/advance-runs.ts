import type { Tables } from "./tables.ts";

/**
 * As `advanceRun`, for many runs in one commit; each is fenced for itself, and those that were not lost come back (H14).
 * `$1`–`$6`: per run its id, epoch, first and last sequence number of what comes, chain after it, clock. `$7`–`$11`: per
 * journal row the position of its run in those, its first sequence number, count, chain and length. `$12`: their bytes,
 * end to end.
 */
export function advanceRuns({ runs, journal }: Tables): string {
  return `
WITH run AS (
  UPDATE ${runs} AS r SET last_seq = g.last_seq, chain = g.chain, updated_at = g.at
  FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
    WITH ORDINALITY AS g (id, epoch, first_seq, last_seq, chain, at, i)
  WHERE r.id = g.id AND r.epoch = g.epoch AND r.last_seq = g.first_seq - 1
  RETURNING r.n, g.i),
row AS (
  INSERT INTO ${journal} (run, first_seq, count, chain, bytes)
  SELECT run.n, w.first_seq, w.count, w.chain, substring($12::bytea FROM w.start FOR w.length)
  FROM ${rowsOf("$7", "$8", "$9", "$10", "$11")} AS w
  JOIN run ON run.i = w.run)
SELECT i FROM run`;
}

/** Where each row's bytes begin in the whole. */
export function rowsOf(run: string, firstSeq: string, count: string, chain: string, length: string): string {
  return `(
    SELECT run, first_seq, count, chain, length, (1 + sum(length) OVER (ORDER BY i) - length)::integer AS start
    FROM unnest(${run}::bigint[], ${firstSeq}::bigint[], ${count}::bigint[], ${chain}::bigint[], ${length}::integer[])
      WITH ORDINALITY AS given (run, first_seq, count, chain, length, i))`;
}
