import { ended } from "./ended.ts";
import { comparedText, procedure, type Procedure } from "./procedure.ts";
import { runColumns } from "./run-columns.ts";

/**
 * B9: the run's row is locked first, so that a note and a run that comes to rest never miss each other; then the insert is
 * the compare-and-set. `given_wakes`: statuses with commas between them. One at rest that is just being taken up is due, should
 * its owner die before it wrote so. A row comes back only if the note was posted: the run as it stands then.
 */
export const insertNote: Procedure = procedure({
  name: "insert_note",
  version: 2,
  parameters: [
    "given_run BINARY(32)",
    "given_kind VARCHAR(16)",
    "given_name MEDIUMTEXT CHARACTER SET utf8mb4",
    "given_name_key BINARY(32)",
    "given_bytes LONGBLOB",
    "given_author TEXT CHARACTER SET utf8mb4",
    "given_at BIGINT",
    `given_wakes ${comparedText}`,
  ],
  variables: ["found BIGINT", "holder BIGINT", `standing ${comparedText}`, "wakes INT DEFAULT 0", "note_id BIGINT"],
  handlers: ["CONTINUE HANDLER FOR NOT FOUND SET found = NULL", "EXIT HANDLER FOR 1062 ROLLBACK"],
  body: ({ runs, notes, owners, hints }) => `
  SELECT n, owner_n, status INTO found, holder, standing FROM ${runs}
  WHERE id_key = given_run AND status NOT IN ${ended} FOR UPDATE;
  IF found IS NULL THEN
    COMMIT;
  ELSE
    INSERT INTO ${notes} (run, kind, name, name_key, bytes, author, at)
    VALUES (found, given_kind, given_name, given_name_key, given_bytes, given_author, given_at);
    SET note_id = LAST_INSERT_ID();
    IF FIND_IN_SET(standing, given_wakes) > 0 THEN
      SELECT COUNT(*) = 0 INTO wakes FROM ${owners} WHERE n = holder AND lease_until > NOW(6);
    END IF;
    IF wakes THEN
      UPDATE ${runs} SET unhandled = unhandled + 1, status = 'queued', wake_at = NULL, owner = NULL, owner_n = NULL,
        updated_at = given_at
      WHERE n = found;
      INSERT INTO ${hints} (owner_n) VALUES (NULL);
    ELSE
      UPDATE ${runs} SET unhandled = unhandled + 1,
        wake_at = IF(standing = 'interrupted' AND FIND_IN_SET(standing, given_wakes) > 0, 0, wake_at)
      WHERE n = found;
      INSERT INTO ${hints} (owner_n) VALUES (holder);
    END IF;
    COMMIT;
    SELECT ${runColumns}, note_id AS noteId FROM ${runs} AS r WHERE r.n = found;
  END IF;`,
});
