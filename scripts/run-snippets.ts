/**
 * Every TypeScript block of the READMEs and of `docs/` is a whole program: it is typechecked and executed as a reader would.
 *
 *   ```ts              a program; a ```text block right after it is its expected standard output (`…` matches anything)
 *   ```ts file=mill.ts the same, kept under that name so that later programs of the page can import it
 *   ```ts no-run       typechecked only
 *
 * Programs that read POSTGRES_URL or MYSQL_URL get the address of a server that runs while they do.
 */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { obtainPrograms } from "../packages/mysql/test/support/programs.ts";
import { startServerProcess as startMysql } from "../packages/mysql/test/support/server-process.ts";
import { startServerProcess as startPostgres } from "../packages/postgres/test/support/server-process.ts";
import { installSources } from "./build/install.ts";
import { root } from "./packages.ts";
import { findSnippets, matchesOutput, type Snippet } from "./snippets.ts";

const workspace = join(root, ".build/snippets");
const compiled = join(workspace, "compiled");

interface Program extends Snippet {
  readonly page: string;
  readonly path: string;
}

function writePrograms(page: string): Program[] {
  const folder = join(workspace, page.replace(/\.md$/, ""));
  mkdirSync(folder, { recursive: true });
  return findSnippets(readFileSync(join(root, page), "utf8")).map((snippet) => {
    const path = join(folder, snippet.file ?? `line-${snippet.line}.ts`);
    // Blank lines in front, so that errors carry the line of the page.
    writeFileSync(path, "\n".repeat(snippet.line) + snippet.code);
    return { ...snippet, page, path };
  });
}

function typecheck(): boolean {
  const config = {
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      types: ["node"],
      lib: ["esnext", "dom", "dom.asynciterable"],
      composite: false,
      noEmit: true,
      noUnusedLocals: false,
    },
    include: ["**/*.ts"],
  };
  writeFileSync(join(workspace, "tsconfig.json"), JSON.stringify(config));
  return spawnSync("tsc", ["-p", workspace], { cwd: root, stdio: "inherit" }).status === 0;
}

async function execute(
  { page, line, path, expected }: Program,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { failure, stdout, stderr } = await runProgram(path, env);
  const ok = failure === undefined && (expected === undefined || matchesOutput(stdout, expected));
  console.log(`${page}:${line} ${ok ? "ok" : "FAILED"}`);
  if (failure !== undefined) console.error(`${stdout}${stderr}${failure}`);
  else if (!ok) console.error(`printed:\n${stdout}\nbut the page promises:\n${expected}`);
  return ok;
}

/** `failure` says why the program did not end with exit code 0, if it did not. */
function runProgram(
  path: string,
  env: Readonly<Record<string, string>>,
): Promise<{ failure: string | undefined; stdout: string; stderr: string }> {
  const options = {
    cwd: dirname(path),
    timeout: 60_000,
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...env },
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [basename(path)], options, (error, stdout, stderr) =>
      resolve({ failure: error?.message, stdout, stderr }),
    );
  });
}

/** By the variable that programs read. */
const servers = [
  ["POSTGRES_URL", () => startPostgres(["-c", "fsync=off"])],
  ["MYSQL_URL", () => startMysql()],
] as const;

/**
 * Programs that run one after the other: those of one page, which may import each other, and all that use a server,
 * whose engines would take up each other's runs.
 */
function chains(all: readonly Program[]): Iterable<Program[]> {
  const onServers = new Set(
    all.filter(({ code }) => servers.some(([name]) => code.includes(name))).map(({ page }) => page),
  );
  return Map.groupBy(all, ({ page }) => (onServers.has(page) ? "servers" : page)).values();
}

async function executeSideBySide(waiting: Program[][], env: Readonly<Record<string, string>>): Promise<boolean> {
  let ok = true;
  const worker = async (): Promise<void> => {
    for (let chain = waiting.shift(); chain !== undefined; chain = waiting.shift()) {
      for (const program of chain) ok = (await execute(program, env)) && ok;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return ok;
}

async function executeAll(all: readonly Program[]): Promise<boolean> {
  const missing = obtainPrograms();
  if (missing !== undefined) console.warn(`\n*** PROGRAMS THAT READ MYSQL_URL ARE NOT RUN: ${missing}\n`);
  const runnable = all.filter(({ code }) => missing === undefined || !code.includes("MYSQL_URL"));
  const env: Record<string, string> = {};
  const running: { stop(): Promise<void> }[] = [];
  try {
    for (const [name, start] of servers) {
      if (!runnable.some(({ code }) => code.includes(name))) continue;
      const server = await start();
      running.push(server);
      env[name] = server.url;
    }
    return await executeSideBySide([...chains(runnable)], env);
  } finally {
    for (const server of running) await server.stop();
  }
}

/** As a reader would: with the packages as they are published, which start in a third of the time. */
async function executeInstalled(all: readonly Program[]): Promise<boolean> {
  await installSources(workspace);
  return executeAll(all);
}

rmSync(workspace, { recursive: true, force: true });
if (!existsSync(join(root, "README.md"))) console.log("README.md is missing: no snippets to run yet");
const programs = globSync(["README.md", "packages/*/README.md", "docs/*.md"], { cwd: root })
  .toSorted()
  .flatMap(writePrograms);
const ok =
  programs.length === 0 || (typecheck() && (await executeInstalled(programs.filter((program) => program.run))));
console.log(`${programs.length} snippets`);
if (!ok) process.exitCode = 1;
