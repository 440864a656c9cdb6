import { fenceStep } from "@millrace/core";

import { procedure, type Procedure } from "./procedure.ts";

const never = "'1000-01-01 00:00:00'";

/**
 * B15. A restored table counts on from where it stood, so that an owner of before may have the number that the next one would
 * get: a row that is put in far ahead, and taken away again, makes those to come begin behind it.
 */
export const fenceAll: Procedure = procedure({
  name: "fence_all",
  version: 1,
  parameters: ["given_resume TINYINT", "given_at BIGINT", "given_owner BIGINT"],
  variables: ["open_runs BIGINT", "owned_runs BIGINT", "next_owner BIGINT"],
  body: ({ runs, owners, hints }) => `
  UPDATE ${owners} SET lease_until = ${never} WHERE n <> given_owner;
  SELECT COUNT(*), COUNT(owner_n) INTO open_runs, owned_runs FROM ${runs} WHERE ended_at IS NULL FOR UPDATE;
  UPDATE ${runs} SET epoch = epoch + ${fenceStep}, owner = NULL, owner_n = NULL, attempts = 0, hold_until = 0,
    updated_at = given_at,
    status = IF(given_resume, status, 'needs_review'),
    wake_at = IF(given_resume, wake_at, NULL)
  WHERE ended_at IS NULL;
  INSERT INTO ${owners} (name, name_key, opened_at, lease_until) VALUES ('', UNHEX(SHA2('', 256)), NOW(6), ${never});
  SET next_owner = LAST_INSERT_ID();
  INSERT INTO ${owners} (n, name, name_key, opened_at, lease_until)
  VALUES (next_owner + ${fenceStep}, '', UNHEX(SHA2('', 256)), NOW(6), ${never});
  DELETE FROM ${owners} WHERE n IN (next_owner, next_owner + ${fenceStep});
  INSERT INTO ${hints} (owner_n) VALUES (NULL);
  COMMIT;
  SELECT open_runs AS runs, owned_runs AS owned;`,
});
