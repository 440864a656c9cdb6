/** What is killed, on the server at the environment variable `MYSQL_URL`. */
import type { CrashSubject } from "@millrace/core/testing";
import { mysql } from "@millrace/mysql";

import { crashJobs } from "../../../core/test/servers/crash-jobs.ts";

const subject: CrashSubject = crashJobs((prefix) => mysql(process.env["MYSQL_URL"] ?? "", { prefix, lease: "1s" }));
export default subject;
