/** The thread of `watchdog.ts`. It counts its own looks, so that a machine that stood still is not mistaken for a case that does. */
import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { Watched } from "./watchdog.ts";

const { playing, what, command, patience } = workerData as Watched;
const looks = 10;
let last = 0;
let same = 0;

setInterval(() => {
  const [seed = 0, begun = 0] = playing;
  same = begun !== 0 && begun === last ? same + 1 : 0;
  last = begun;
  if (same <= looks) return;
  // Not by the console, which goes through the thread that hangs.
  writeSync(
    2,
    `\n${what}: the case of seed ${seed} has not ended in ${patience / 1_000} s\nagain: MILLRACE_SEED=${seed} ${command}\n`,
  );
  process.kill(process.pid, "SIGKILL");
}, patience / looks);
