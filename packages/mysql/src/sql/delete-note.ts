import { procedure, type Procedure } from "./procedure.ts";

/** An unhandled note goes, under the lock of its run, which counts it. */
export const deleteNote: Procedure = procedure({
  name: "delete_note",
  version: 1,
  parameters: ["given_run BINARY(32)", "given_id BIGINT"],
  variables: ["found BIGINT"],
  handlers: ["CONTINUE HANDLER FOR NOT FOUND SET found = NULL"],
  body: ({ runs, notes }) => `
  SELECT n INTO found FROM ${runs} WHERE id_key = given_run FOR UPDATE;
  DELETE FROM ${notes} WHERE run = found AND n = given_id AND handled = 0;
  IF ROW_COUNT() > 0 THEN
    UPDATE ${runs} SET unhandled = unhandled - 1 WHERE n = found;
  END IF;
  COMMIT;`,
});
