/** What is killed: five runs of three graphs on SQLite at `synchronous=FULL`. */
import { join } from "node:path";
import { sqlite } from "../../../src/node/index.ts";
import type { CrashSubject } from "../../../src/testing/index.ts";
import { jobs } from "../support/jobs.ts";

const subject: CrashSubject = {
  connect: (place) => sqlite(join(place, "runs.db"), { synchronous: "full", busyTimeout: 30_000 }),
  runs: jobs,
};
export default subject;
