/** Runs the program as it is published as a child process, in a folder of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject, vi } from "vitest";

// Each command is a process of its own, several per test, on machines that do other things too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folders = new Set<string>();
const children = new Set<ChildProcessWithoutNullStreams>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An application that has Millrace installed, with the graphs of `test/fixtures` in `flows`. */
export const app: string = inject("app");
export const bin: string = join(app, "node_modules/millrace/dist/cli/main.js");
/** As where `npm` runs scripts, with the Node that runs the tests. */
const path = [join(app, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
export const flows: string = fixture("flows.ts");

export function fixture(name: string): string {
  return join(app, "flows", name);
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly finished: Promise<Finished>;
  stderr(): string;
}

export interface How {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder that goes with the test process. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-cli-"));
  folders.add(folder);
  return folder;
}

export function start(args: readonly string[], how: How = {}): Running {
  return watch(spawn(process.execPath, [bin, ...args], options(how)), how.stdin);
}

/** A whole command line, as a person would paste it. */
export function paste(command: string, how: How = {}): Promise<Finished> {
  return watch(spawn(command, { ...options(how), shell: true }), undefined).finished;
}

export function millrace(args: readonly string[], how: How = {}): Promise<Finished> {
  return start(args, how).finished;
}

function options({ cwd, env }: How): {
  cwd: string | undefined;
  env: NodeJS.ProcessEnv;
  stdio: "pipe";
} {
  const { NO_COLOR: _, FORCE_COLOR: __, MILLRACE_DB: ___, npm_command: ____, VITEST: _____, ...clean } = process.env;
  return { cwd, env: { ...clean, PATH: path, NODE_COMPILE_CACHE: join(app, "compiled"), ...env }, stdio: "pipe" };
}

function watch(child: ChildProcessWithoutNullStreams, stdin: string | undefined): Running {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(stdin ?? "");
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  children.add(child);
  child.once("close", () => children.delete(child));
  return { child, finished, stderr: () => stderr };
}

/** Waits for something that a running command does; a command that ends before did not do it. */
export async function until(what: () => boolean, running: Running): Promise<void> {
  for (const end = Date.now() + 60_000; !what(); await sleep(10)) {
    const over = running.child.exitCode ?? running.child.signalCode;
    if (over !== null || Date.now() > end)
      throw new Error(`waited in vain for ${what.toString()} (${over}):\n${running.stderr()}`);
  }
}

/** The lines that user code wrote into a file so far. */
export function linesOf(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

/** No line of a stack trace: those start with `at ` and name a file position or Node's insides. */
export function hasStack(text: string): boolean {
  return /^\s+at .*(?:node:|\.[cm]?[jt]s:\d+:\d+\)$)/m.test(text) || /Node\.js v\d/.test(text);
}
