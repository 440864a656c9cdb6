import { fenceStep } from "@millrace/core";

import { procedure, type Procedure } from "./procedure.ts";

/**
 * B1: run, first journal row, labels and the names of blobs, or nothing. Tells `created`; `taken` when the id is, or, B10, the
 * thread has a run that has not ended; `moved` when \`given_carried\` is not the last row that the thread carried on, or
 * \`given_follows\` not its newest run (B16); zeros stand for none.
 *
 * The second statement about what was carried on sees what there is after the first one waited for the run before to end.
 */
export const insertRun: Procedure = procedure({
  name: "insert_run",
  version: 3,
  parameters: [
    "given_id TEXT CHARACTER SET utf8mb4",
    "given_key BINARY(32)",
    "given_graph TEXT CHARACTER SET utf8mb4",
    "given_graph_key BINARY(32)",
    "given_fingerprint TEXT CHARACTER SET utf8mb4",
    "given_owner TEXT CHARACTER SET utf8mb4",
    "given_owner_n BIGINT",
    "given_at BIGINT",
    "given_count BIGINT",
    "given_chain BIGINT",
    "given_trace TEXT CHARACTER SET utf8mb4",
    "given_labels MEDIUMTEXT CHARACTER SET utf8mb4",
    "given_thread TEXT CHARACTER SET utf8mb4",
    "given_thread_key BINARY(32)",
    "given_carried BIGINT",
    "given_follows BINARY(32)",
    "given_label_keys LONGTEXT",
    "given_blobs LONGTEXT",
    "given_bytes LONGBLOB",
  ],
  variables: ["made BIGINT", "last_carried BIGINT", "newest BINARY(32)"],
  handlers: ["EXIT HANDLER FOR 1062 BEGIN ROLLBACK; SELECT 'taken' AS result; END"],
  body: ({ runs, journal, labels, blobRefs, carried }) => `
  INSERT INTO ${runs} (id, id_key, graph, graph_key, fingerprint, status, owner, owner_n, epoch, claimed_at, claimed_seq,
    last_seq, chain, created_at, updated_at, trace_id, labels, thread, thread_key)
  VALUES (given_id, given_key, given_graph, given_graph_key, given_fingerprint, 'running', given_owner, given_owner_n,
    1 + (given_owner_n DIV ${fenceStep}) * ${fenceStep},
    given_at, given_count, given_count, given_chain, given_at, given_at, given_trace, given_labels, given_thread,
    given_thread_key);
  SET made = LAST_INSERT_ID();
  INSERT INTO ${journal} (run, first_seq, count, chain, size, bytes)
  VALUES (made, 1, given_count, given_chain, LENGTH(given_bytes), given_bytes);
  IF given_label_keys IS NOT NULL THEN
    INSERT INTO ${labels} (label_key, run)
    SELECT UNHEX(given.hex), made FROM JSON_TABLE(given_label_keys, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS given;
  END IF;
  IF given_blobs IS NOT NULL THEN
    INSERT INTO ${blobRefs} (hash_key, run)
    SELECT DISTINCT UNHEX(given.hex), made FROM JSON_TABLE(given_blobs, '$[*]' COLUMNS (hex CHAR(64) PATH '$')) AS given;
  END IF;
  IF given_thread_key IS NOT NULL THEN
    SELECT COALESCE(MAX(n), 0) INTO last_carried FROM ${carried} WHERE thread_key = given_thread_key;
    UPDATE ${runs} SET carried_up_to = last_carried WHERE n = made;
  END IF;
  IF given_follows IS NOT NULL THEN
    SELECT COALESCE((
      SELECT id_key FROM ${runs} WHERE thread_key = given_thread_key AND n <> made
      ORDER BY carried_up_to DESC, n DESC LIMIT 1), UNHEX(REPEAT('00', 32))) INTO newest;
  END IF;
  IF given_carried <> last_carried OR given_follows <> newest THEN
    ROLLBACK;
    SELECT 'moved' AS result;
  ELSE
    COMMIT;
    SELECT 'created' AS result;
  END IF;`,
});
