/**
 * `npm test`: everything that must hold, in two stages: what is quickly said, and then what runs. The sections of a stage run
 * side by side, as many as there are processors, and all of them to their end; behind a stage in which one failed nothing
 * begins. `npm test -- types tests` runs only the named sections. The last line is always `N passed, N failed`.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { compileCache } from "./compile-cache.ts";
import { publishables, root } from "./packages.ts";

const testReport = join(root, ".build/vitest.json");
const staged = publishables.map((target) => relative(root, target.staged));

/** Commands of a section run one after the other. */
type Stage = Readonly<Record<string, readonly string[]>>;

/** Of a stage, what takes longest begins first. */
const stages: readonly Stage[] = [
  {
    packages: [
      "node scripts/build.ts",
      ...staged.map((folder) => `publint ${folder} --strict`),
      ...staged.map((folder) => `attw --pack ${folder} --profile esm-only --no-summary`),
    ],
    lint: ["oxlint --type-aware --deny-warnings"],
    types: ["tsc -b"],
    unused: ["knip"],
    layers: ["node scripts/check-layers.ts"],
    format: ["oxfmt --check ."],
    messages: ["node scripts/messages.ts --check"],
    // Snippets and tests both need it, and only one may install it.
    database: ["node packages/mysql/test/programs/obtain.ts"],
  },
  {
    tests: [`vitest run --reporter=default --reporter=json --outputFile.json=${testReport}`],
    snippets: ["node scripts/run-snippets.ts"],
    "oldest node": ["npx -y -p node@22.18.0 node scripts/smoke-node22.ts"],
  },
];

const asked = process.argv.slice(2);
const names = stages.flatMap(Object.keys);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no section ${unknown.join(", ")}; there are ${names.join(", ")}`);
  process.exit(2);
}

mkdirSync(join(root, ".build"), { recursive: true });
rmSync(testReport, { force: true });
// What was compiled of programs in temporary folders is of no use to anybody later.
rmSync(compileCache, { recursive: true, force: true });
process.env["NODE_COMPILE_CACHE"] = compileCache;
const failed: string[] = [];
for (const stage of stages) if (failed.length === 0) failed.push(...(await runStage(stage)));
process.exitCode = failed.length === 0 ? 0 : 1;
if (failed.length > 0) console.log(`\nfailed: ${failed.join(", ")}`);
console.log(`\n${summary(failed.length > 0)}`);

/** The names of those that failed. */
async function runStage(stage: Stage): Promise<string[]> {
  const waiting = Object.keys(stage).filter((name) => asked.length === 0 || asked.includes(name));
  const wrong: string[] = [];
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      if (!(await runSection(name, stage[name] ?? []))) wrong.push(name);
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  return wrong;
}

/** What it prints comes in one piece, when it is over; but tests tell how far they are. */
async function runSection(name: string, commands: readonly string[]): Promise<boolean> {
  const started = performance.now();
  const said: string[] = [];
  let ran = true;
  for (const command of commands) ran = ran && (await run(command, name === "tests" ? null : said));
  // The report is believed too: a library that ends the process may take the exit code with it.
  const ok = ran && (name !== "tests" || readReport().success);
  // Tests of the packages need not build them again.
  if (ok && name === "packages") process.env["MILLRACE_BUILT"] = "1";
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`\n=== ${name}\n${said.join("")}--- ${name}: ${ok ? "ok" : "FAILED"} in ${seconds} s`);
  return ok;
}

/** @param said what is printed goes there; null: to the terminal */
function run(command: string, said: string[] | null): Promise<boolean> {
  const output = said === null ? "inherit" : "pipe";
  const child = spawn(command, { cwd: root, shell: true, stdio: ["ignore", output, output] });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (text: string) => said?.push(text));
  }
  return new Promise((resolve) => {
    child.on("error", (error) => {
      said?.push(`${String(error)}\n`);
      resolve(false);
    });
    child.on("close", (code) => resolve(code === 0));
  });
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
