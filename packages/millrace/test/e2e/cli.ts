/** Runs the real program as a child process, in a folder of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const bin: string = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
export const flows: string = fixture("flows.ts");

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
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
  readonly uid?: number;
}

/** A folder that goes when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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

function options({ cwd, env, uid }: How): {
  cwd: string | undefined;
  env: NodeJS.ProcessEnv;
  uid?: number;
  stdio: "pipe";
} {
  const { NO_COLOR: _, FORCE_COLOR: __, MILLRACE_DB: ___, npm_command: ____, VITEST: _____, ...clean } = process.env;
  return { cwd, env: { ...clean, ...env }, stdio: "pipe", ...(uid !== undefined && { uid }) };
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
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, finished, stderr: () => stderr };
}

export async function until(what: () => boolean, timeoutMs = 15_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !what(); await sleep(10)) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for ${what.toString()}`);
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
