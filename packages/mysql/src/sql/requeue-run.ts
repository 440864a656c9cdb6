import { ended } from "./ended.ts";
import { procedure, type Procedure } from "./procedure.ts";

/**
 * Whether somebody has the run is asked after its row is locked: an owner that came while this waited is seen. Tells how many
 * runs it queued.
 */
export const requeueRun: Procedure = procedure({
  name: "requeue_run",
  version: 1,
  parameters: ["given_run BINARY(32)", "given_at BIGINT"],
  variables: ["found BIGINT", "holder BIGINT", "held INT"],
  handlers: ["CONTINUE HANDLER FOR NOT FOUND SET found = NULL"],
  body: ({ runs, owners, hints }) => `
  SELECT n, owner_n INTO found, holder FROM ${runs} WHERE id_key = given_run AND status NOT IN ${ended} FOR UPDATE;
  SELECT COUNT(*) INTO held FROM ${owners} WHERE n = holder AND lease_until > NOW(6);
  IF found IS NOT NULL AND held = 0 THEN
    UPDATE ${runs} SET status = 'queued', owner = NULL, owner_n = NULL, wake_at = NULL, attempts = 0, hold_until = 0,
      updated_at = given_at
    WHERE n = found;
    INSERT INTO ${hints} (owner_n) VALUES (NULL);
  END IF;
  COMMIT;
  SELECT IF(found IS NOT NULL AND held = 0, 1, 0) AS queued;`,
});
