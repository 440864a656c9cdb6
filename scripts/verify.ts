/**
 * `npm test`: everything that must hold, section by section, stopping at the first that fails.
 * `npm test -- types tests` runs only the named sections. The last line is always `N passed, N failed`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { publishables, root } from "./packages.ts";

const testReport = join(root, ".build/vitest.json");
const staged = publishables.map((target) => relative(root, target.staged));

const sections: Readonly<Record<string, readonly string[]>> = {
  format: ["oxfmt --check ."],
  lint: ["oxlint --type-aware --deny-warnings"],
  layers: ["node scripts/check-layers.ts"],
  messages: ["node scripts/messages.ts --check"],
  types: ["tsc -b"],
  unused: ["knip"],
  packages: [
    "node scripts/build.ts",
    ...staged.map((folder) => `publint ${folder} --strict`),
    ...staged.map((folder) => `attw --pack ${folder} --profile esm-only --no-summary`),
  ],
  snippets: ["node scripts/run-snippets.ts"],
  "oldest node": ["npx -y -p node@22.18.0 node scripts/smoke-node22.ts"],
  tests: [`vitest run --reporter=default --reporter=json --outputFile.json=${testReport}`],
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in sections));
if (unknown.length > 0) {
  console.error(`no section ${unknown.join(", ")}; there are ${Object.keys(sections).join(", ")}`);
  process.exit(2);
}

mkdirSync(join(root, ".build"), { recursive: true });
rmSync(testReport, { force: true });
const failed = Object.keys(sections)
  .filter((name) => asked.length === 0 || asked.includes(name))
  .find((name) => !runSection(name));
process.exitCode = failed === undefined ? 0 : 1;
if (failed !== undefined) console.log(`\nfailed: ${failed}`);
console.log(`\n${summary(failed !== undefined)}`);

function runSection(name: string): boolean {
  const started = performance.now();
  console.log(`\n=== ${name}`);
  const ran = sections[name]!.every(
    (command) => spawnSync(command, { cwd: root, shell: true, stdio: ["ignore", "inherit", "inherit"] }).status === 0,
  );
  // The report is believed too: a library that ends the process may take the exit code with it.
  const ok = ran && (name !== "tests" || readReport().success);
  console.log(`--- ${name}: ${ok ? "ok" : "FAILED"} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return ok;
}

/** Tests as Vitest counted them; a section that failed without a failed test counts as one failure. */
function summary(hasFailed: boolean): string {
  const tests = readReport();
  if (tests.skipped > 0) console.log(`${tests.skipped} tests skipped`);
  return `${tests.passed} passed, ${hasFailed ? Math.max(1, tests.failed) : tests.failed} failed`;
}

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly success: boolean;
}

function readReport(): Report {
  try {
    const report = JSON.parse(readFileSync(testReport, "utf8")) as Record<string, unknown>;
    const count = (name: string): number => Number(report[name] ?? 0);
    return {
      passed: count("numPassedTests"),
      failed: count("numFailedTests"),
      skipped: count("numPendingTests") + count("numTodoTests"),
      success: report["success"] === true && count("numFailedTests") === 0 && count("numPassedTests") > 0,
    };
  } catch {
    return { passed: 0, failed: 0, skipped: 0, success: false };
  }
}
