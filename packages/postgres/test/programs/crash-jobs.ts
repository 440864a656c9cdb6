/** What is killed, on the server at the environment variable `POSTGRES_URL`. */
import type { CrashSubject } from "@millrace/core/testing";
import { postgres } from "@millrace/postgres";

import { crashJobs } from "../../../core/test/servers/crash-jobs.ts";

const subject: CrashSubject = crashJobs((schema) =>
  postgres(process.env["POSTGRES_URL"] ?? "", { schema, lease: "1s" }),
);
export default subject;
