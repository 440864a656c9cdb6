import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..");
const readme = readFileSync(join(folder, "README.md"), "utf8");

/** What the page says that a program prints: the `text` block behind its command. */
const promised = new Map(
  Array.from(readme.matchAll(/^```sh\nnode (\S+)\n```\n\n```text\n([^]*?)^```$/gm), ([, file, output]) => [
    file!,
    output!,
  ]),
);

test("the page explains every program", () => {
  expect([...promised.keys()].toSorted()).toEqual(globSync("src/*.ts", { cwd: folder }).toSorted());
  expect(promised.size).toBe(9);
});

test.each([...promised])("%s prints what its page promises, and nothing to stderr", (file, output) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
  expect({ stderr, stdout, status }).toEqual({ stderr: "", stdout: output, status: 0 });
});
