import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { rounded } from "../src/harness/json-line.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

const names = [
  "sync-op",
  "async-op",
  "fan-out-1000",
  "stream-3x10000",
  "stream-gen-3x10000",
  "loop-100000",
  "small-runs-10000",
  "waiting-run-memory",
  "no-journal-cost",
  "policies-unset",
  "diamond-successor",
  "durable-full-1",
  "durable-full-50",
  "durable-full-200",
  "durable-async-sqlite",
  "durable-loop-delay",
  "durable-off-200",
  "append-late",
  "thread-200",
  "durable-pg-1",
  "durable-pg-50",
  "durable-pg-200",
  "durable-async-pg",
  "resume-100k",
  "recover-100k",
  "cell-append-1000",
  "transient-1m",
  "tsc-200",
  "tsc-1000",
];

function bench(...args: string[]) {
  return spawnSync(process.execPath, ["--expose-gc", main, ...args], { encoding: "utf8" });
}

describe("npm run bench", () => {
  test("--list names every figure of the suite", () => {
    const { stdout, status } = bench("--list");
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toEqual(names);
  });

  test("--json writes one object per figure on stdout and all else on stderr", { timeout: 60_000 }, () => {
    const { stdout, stderr, status } = bench("--quick", "--json", "--only", "sync-op,cell-append-1000");
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("load average") });
    const lines = stdout.trim().split("\n");
    const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(objects.map(({ name }) => name)).toEqual(["sync-op", "cell-append-1000"]);
    for (const object of objects) {
      expect(Object.keys(object)).toEqual(["name", "value", "unit", "floor", "ratio"]);
      const { value, floor, ratio } = object as Record<string, number>;
      expect(value).toBeGreaterThan(0);
      expect(ratio).toBe(rounded(value! / floor!));
    }
  });

  test(
    "P1.10 the kernels without a journal and without policies can still be cut out of the sources and measured against",
    { timeout: 60_000 },
    () => {
      const { stdout, status, stderr } = bench("--quick", "--json", "--only", "no-journal-cost,policies-unset");
      expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
      const found = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { name: string });
      expect(found.map(({ name }) => name)).toEqual(["no-journal-cost", "policies-unset"]);
    },
  );

  test("an unknown figure is a usage error that names the known ones", () => {
    const { stderr, status } = bench("--only", "sync-oop");
    expect(status).toBe(2);
    expect(stderr).toContain("no figure sync-oop; there are sync-op");
  });
});
