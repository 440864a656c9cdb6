/**
 * A busy machine lets a lease lapse for a moment. What renews it keeps no process alive, so one that had nothing else to do than to
 * wait for its runs ended, in the middle of them.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("H2 H82 a process that awaits its run stays while the lease on it has lapsed, and the run ends", () => {
  const program = fileURLToPath(new URL("programs/lapse-and-wait.ts", import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [program], { encoding: "utf8", timeout: 15_000 });
  expect({ stdout, stderr, status }).toEqual({ stdout: 'running\n{"n":2}\nclosed\n', stderr: "", status: 0 });
});
