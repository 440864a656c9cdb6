import { procedure, type Procedure } from "./procedure.ts";

/**
 * B2: the fence, for one plain append: the journal row follows only if this writer's epoch and last sequence number still
 * stand. Tells how many rows it appended.
 */
export const advanceRun: Procedure = procedure({
  name: "advance_run",
  version: 1,
  parameters: [
    "given_run BINARY(32)",
    "given_epoch BIGINT",
    "given_seq BIGINT",
    "given_count BIGINT",
    "given_chain BIGINT",
    "given_at BIGINT",
    "given_bytes LONGBLOB",
  ],
  variables: ["advanced INT DEFAULT 0"],
  body: ({ runs, journal }) => `
  UPDATE ${runs} SET last_seq = given_seq + given_count - 1, chain = given_chain, updated_at = given_at
  WHERE id_key = given_run AND epoch = given_epoch AND last_seq = given_seq - 1;
  SET advanced = ROW_COUNT();
  IF advanced = 1 THEN
    INSERT INTO ${journal} (run, first_seq, count, chain, size, bytes)
    SELECT n, given_seq, given_count, given_chain, LENGTH(given_bytes), given_bytes FROM ${runs} WHERE id_key = given_run;
  END IF;
  COMMIT;
  SELECT advanced;`,
});
