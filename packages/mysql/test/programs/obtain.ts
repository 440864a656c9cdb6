/** Installs MariaDB for tests and snippets where that is possible; where it is not, CI fails and others are told. */
import { obtainPrograms } from "../support/programs.ts";

const missing = obtainPrograms();
if (missing !== undefined) {
  console.warn(`*** @millrace/mysql cannot be tested: ${missing}`);
  if (process.env["CI"]) process.exitCode = 1;
}
