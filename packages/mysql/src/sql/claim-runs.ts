import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

/** Which of the optional parameters a request has. */
export interface ClaimShape {
  readonly byId: boolean;
  readonly due: boolean;
  readonly graphs: boolean;
  readonly except: boolean;
}

/**
 * Runs that a request would take, oldest first, without locking any. Each way to find some by an index has the same parameters
 * (`wanted`, then twice the moment and once the number of the last run that was looked at, what it looks for, the limit): by id;
 * or those that nobody has, those of owners that do not live, and with `due` those at rest whose time has come. What is looked
 * for are ten statuses, of which several may be the same, or the clock. With several ways comes the limit of all.
 */
export function selectClaimable(tables: Tables, shape: ClaimShape): string {
  const { runs } = tables;
  const some = (from: string, condition: string): string => `
(SELECT r.n, r.created_at AS createdAt FROM ${from}
WHERE ${wanted(shape)} AND (r.created_at > ? OR (r.created_at = ? AND r.n > ?)) AND ${condition}
ORDER BY r.created_at, r.n LIMIT ?)`;
  const listed = `r.status IN (${statuses})`;
  if (shape.byId) return some(`${runs} AS r ${living(tables, "r")}`, `o.n IS NULL AND ${listed}`);
  const ways = [
    some(`${runs} AS r FORCE INDEX (runs_owner)`, `r.owner_n IS NULL AND ${listed}`),
    some(ofDead(tables), `o.n IS NULL AND ${listed}`),
  ];
  const due = "o.n IS NULL AND r.status = 'interrupted' AND r.wake_at <= ?";
  if (shape.due) ways.push(some(`${runs} AS r FORCE INDEX (runs_due) ${living(tables, "r")}`, due));
  return `${ways.join(" UNION DISTINCT ")}\nORDER BY createdAt, n LIMIT ?`;
}

/** The owner of a run, if it lives. */
function living({ owners }: Tables, run: string): string {
  return `LEFT JOIN ${owners} AS o ON o.n = ${run}.owner_n AND o.lease_until > NOW(6)`;
}

/** By who has them: runs of owners that live are many, and are not looked at. */
function ofDead(tables: Tables): string {
  const { runs } = tables;
  return `(SELECT DISTINCT owner_n FROM ${runs} WHERE owner_n IS NOT NULL) AS held
  ${living(tables, "held")} STRAIGHT_JOIN ${runs} AS r FORCE INDEX (runs_owner) ON r.owner_n = held.owner_n`;
}

/** As many as there are statuses. */
const statuses = Array.from({ length: 10 }, () => "?").join(", ");

function wanted({ byId, graphs, except }: ClaimShape): string {
  const conditions = [byId ? "r.id_key = ?" : "r.hold_until <= ?"];
  if (graphs) conditions.push(heldGraphs);
  if (except) {
    conditions.push(
      "r.id_key NOT IN (SELECT UNHEX(x.hex) FROM JSON_TABLE(?, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS x)",
    );
  }
  return conditions.join(" AND ");
}

const heldGraphs = `EXISTS (
    SELECT 1 FROM JSON_TABLE(?, '$[*]' COLUMNS (graph CHAR(64) PATH '$[0]', fingerprint LONGTEXT PATH '$[1]')) AS known
    WHERE UNHEX(known.graph) = r.graph_key
      AND (known.fingerprint IS NULL OR UNHEX(known.fingerprint) = CAST(r.fingerprint AS BINARY)))`;

/**
 * B6: locks those of the given runs that nobody else has locked, and that still are what was wanted as far as their own row
 * says. Whether their owners live is asked afterwards: an owner that came meanwhile is seen then.
 */
export function lockClaimable({ runs }: Tables): string {
  return `
SELECT r.n, ${runColumns}, r.owner_n AS ownerN, r.claimed_at AS claimedAt, r.claimed_seq AS claimedSeq,
  r.hold_until AS holdUntil
FROM JSON_TABLE(?, '$[*]' COLUMNS (n BIGINT PATH '$')) AS given STRAIGHT_JOIN ${runs} AS r ON r.n = given.n
FOR UPDATE SKIP LOCKED`;
}

/** Those of the given owners that live, by the server's clock (H4). */
export function selectLivingNumbers({ owners }: Tables): string {
  return `
SELECT o.n FROM JSON_TABLE(?, '$[*]' COLUMNS (n BIGINT PATH '$')) AS given JOIN ${owners} AS o ON o.n = given.n
WHERE o.lease_until > NOW(6)`;
}

/** What becomes of locked runs: a list for each, and the mark of the call. */
export function claimRuns({ runs }: Tables): string {
  return `
UPDATE JSON_TABLE(?, '$[*]' COLUMNS (
    n BIGINT PATH '$[0]', attempts INT PATH '$[1]', spent INT PATH '$[2]', hold_until BIGINT PATH '$[3]')) AS given
  STRAIGHT_JOIN ${runs} AS r ON r.n = given.n
SET r.attempts = given.attempts,
  r.status = IF(given.spent, 'quarantined', r.status),
  r.claimed_at = IF(given.spent, r.claimed_at, ?),
  r.claimed_seq = IF(given.spent, r.claimed_seq, r.last_seq),
  r.epoch = IF(given.spent, r.epoch, r.epoch + 1),
  r.owner = IF(given.spent, NULL, ?),
  r.owner_n = IF(given.spent, NULL, ?),
  r.hold_until = given.hold_until,
  r.claim = ?,
  r.updated_at = ?`;
}

/** What this very call took, when its answer did not come (H16). */
export function selectClaimed({ runs }: Tables): string {
  return `
SELECT r.n, ${runColumns} FROM ${runs} AS r WHERE r.owner_n = ? AND r.claim = ?
UNION ALL
SELECT r.n, ${runColumns} FROM ${runs} AS r WHERE r.status = 'quarantined' AND r.claim = ?`;
}
