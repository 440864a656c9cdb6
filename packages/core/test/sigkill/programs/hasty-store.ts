/** A store that says that it has written what it is about to write. */
import { join } from "node:path";
import type { Append, AppendResult } from "../../../src/index.ts";
import { WrappedBackend } from "../../../src/backends/wrapped.ts";
import { sqlite } from "../../../src/node/index.ts";
import type { CrashSubject } from "../../../src/testing/index.ts";
import { jobs } from "../support/jobs.ts";

class Hasty extends WrappedBackend {
  #writing: Promise<unknown> = Promise.resolve();

  override async append(append: Append): Promise<AppendResult> {
    const written = this.#writing
      .then(() => new Promise((resolve) => setTimeout(resolve, 25)))
      .then(() => super.append(append));
    this.#writing = written;
    return append.status === undefined ? { type: "ok" } : written;
  }
}

const subject: CrashSubject = {
  connect: (place) => new Hasty(sqlite(join(place, "runs.db"), { busyTimeout: 30_000 })),
  runs: jobs.slice(2, 3),
};
export default subject;
