/** What is killed: runs of ephemeral generators on SQLite at `synchronous=FULL`. */
import { join } from "node:path";
import { sqlite } from "../../../src/node/index.ts";
import type { CrashSubject } from "../../../src/testing/index.ts";
import { chats } from "../support/chats.ts";

const subject: CrashSubject = {
  connect: (place) => sqlite(join(place, "runs.db"), { synchronous: "full", busyTimeout: 30_000 }),
  runs: chats,
};
export default subject;
