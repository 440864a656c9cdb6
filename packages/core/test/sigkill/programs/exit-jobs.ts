/** What is killed under `exit` durability: two runs that come to rest at their end only, and two that rest over a question. */
import { join } from "node:path";
import { sqlite } from "../../../src/node/index.ts";
import type { CrashSubject } from "../../../src/testing/index.ts";
import { asking, jobs } from "../support/jobs.ts";

const subject: CrashSubject = {
  connect: (place) => sqlite(join(place, "runs.db"), { synchronous: "full", busyTimeout: 30_000 }),
  runs: [...jobs.slice(1, 3), ...asking],
  answer: () => ({ n: 1_000 }),
};
export default subject;
