import { procedure, type Procedure } from "./procedure.ts";
import type { Tables } from "./tables.ts";

/** B13: only ever further, and only where there is such a row. Values: the record, the run's key, the record twice. */
export function noteSnapshot({ runs, journal }: Tables): string {
  return `
UPDATE ${runs} AS r SET r.snapshot_seq = ?
WHERE r.id_key = ? AND r.snapshot_seq < ?
  AND EXISTS (SELECT 1 FROM ${journal} AS j WHERE j.run = r.n AND j.first_seq = ?)`;
}

/**
 * B14: the first row of a run becomes one with the given count, chain and bytes, and the others up to there go, with what names
 * blobs that are forgotten (null: none); those only while the run's last record is the given one. Tells what became of it.
 */
export const compactRun: Procedure = procedure({
  name: "compact_run",
  version: 1,
  parameters: [
    "given_run BINARY(32)",
    "given_count BIGINT",
    "given_chain BIGINT",
    "given_last BIGINT",
    "given_forget LONGTEXT",
    "given_bytes LONGBLOB",
  ],
  variables: ["found BIGINT", "standing BIGINT", "following INT DEFAULT 0"],
  handlers: ["CONTINUE HANDLER FOR NOT FOUND SET found = NULL"],
  body: ({ runs, journal, blobRefs }) => `
  SELECT n, last_seq INTO found, standing FROM ${runs} WHERE id_key = given_run FOR UPDATE;
  SELECT COUNT(*) INTO following FROM ${journal} WHERE run = found AND first_seq = given_count + 1;
  IF found IS NULL OR following = 0 THEN
    COMMIT;
    SELECT 'refused' AS type;
  ELSEIF given_forget IS NOT NULL AND standing <> given_last THEN
    COMMIT;
    SELECT 'moved' AS type;
  ELSE
    UPDATE ${journal} SET count = given_count, chain = given_chain, size = LENGTH(given_bytes), bytes = given_bytes
    WHERE run = found AND first_seq = 1;
    DELETE FROM ${journal} WHERE run = found AND first_seq > 1 AND first_seq <= given_count;
    IF given_forget IS NOT NULL THEN
      DELETE named FROM JSON_TABLE(given_forget, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS given
        STRAIGHT_JOIN ${blobRefs} AS named ON named.hash_key = UNHEX(given.hex) AND named.run = found;
    END IF;
    COMMIT;
    SELECT 'compacted' AS type;
  END IF;`,
});
