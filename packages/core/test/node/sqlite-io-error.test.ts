import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { sqlite } from "../../src/node/index.ts";
import { holes, readAll } from "../../src/testing/backend-contract/fixtures.ts";
import { runToEnd } from "./child.ts";
import { temporaryFolder } from "./temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, "runs.db");
});
afterEach(() => folder.remove());

const strace = spawnSync("strace", ["-V"]).status === 0;

/** What the child said, and what stands in the file afterwards. */
async function appendUnder(
  injection: string,
): Promise<{ stdout: string; stderr: string; lastSeq: number; holes: string[] }> {
  const backend = sqlite(file);
  // The file is made in peace, so that the fault meets the appends.
  await backend.open("maker");
  await backend.close();
  const { stdout, stderr } = runToEnd(
    "append-some",
    [file, "12"],
    ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", injection],
  );
  await backend.open("observer");
  const lastSeq = (await backend.get("r"))?.lastSeq ?? 0;
  const found = holes(await readAll(backend, "r"), lastSeq);
  await backend.close();
  return { stdout, stderr, lastSeq, holes: found };
}

function acknowledged(stdout: string): number {
  return Math.max(0, ...[...stdout.matchAll(/^ok (\d+)$/gm)].map(([, seq]) => Number(seq)));
}

describe.skipIf(!strace)("faults of the disk, injected with strace (skipped where it is not installed)", () => {
  test.each([1, 2, 3, 5, 9])(
    "H16 H19 fsync number %i fails once: the handle is opened anew, nothing acknowledged is lost, the run ends whole",
    async (when) => {
      const result = await appendUnder(`inject=fsync:error=EIO:when=${when}`);
      expect(result).toMatchObject({ stderr: "", lastSeq: 13, holes: [] });
      expect(result.stdout).toContain("end 13");
    },
  );

  test("H19 every write fails from some point on: appends are refused with a code, what was acknowledged stays", async () => {
    const result = await appendUnder("inject=pwrite64:error=EIO:when=40+");
    expect(result.holes).toEqual([]);
    expect(result.lastSeq).toBeGreaterThanOrEqual(acknowledged(result.stdout));
    expect(result.stdout).toMatch(/^failed Database/m);
  });

  test.each([2, 4, 7])("H20 SIGKILL at fsync number %i: acknowledged is durable, without gaps", async (when) => {
    const result = await appendUnder(`inject=fsync:signal=SIGKILL:when=${when}`);
    expect(result.holes).toEqual([]);
    expect(result.stdout).not.toContain("end");
    expect(result.lastSeq).toBeGreaterThanOrEqual(acknowledged(result.stdout));
    expect(result.lastSeq).toBeLessThanOrEqual(acknowledged(result.stdout) + 2);
  });
});

test.skipIf(!strace)("H22 at synchronous=FULL every commit is followed by an fsync before it is acknowledged", () => {
  const calls = join(folder.path, "calls");
  runToEnd("append-some", [file, "20"], ["strace", "-f", "-o", calls, "-e", "trace=fsync,write"]);
  // What the child said and the flushes of the disk, in the order of the machine: "f" or the number of a commit.
  const order = [...readFileSync(calls, "utf8").matchAll(/ fsync\(|write\(1, "ok (\d+)/g)].map(([, ok]) => ok ?? "f");
  const acknowledgements = order.filter((event) => event !== "f");
  expect(acknowledgements).toEqual(Array.from({ length: 20 }, (_, at) => String(at + 2)));
  expect(acknowledgements.filter((event) => order[order.indexOf(event) - 1] !== "f")).toEqual([]);
});
