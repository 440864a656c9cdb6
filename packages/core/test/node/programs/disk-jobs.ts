/** What runs while the disk fails: two runs of two graphs on SQLite at `synchronous=FULL`. */
import { join } from "node:path";
import { sqlite } from "../../../src/node/index.ts";
import type { CrashSubject } from "../../../src/testing/index.ts";
import { jobs } from "../../sigkill/support/jobs.ts";

const subject: CrashSubject = {
  connect: (place) => sqlite(join(place, "runs.db"), { synchronous: "full" }),
  runs: jobs.slice(2, 4),
};
export default subject;
