import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const folder = join(import.meta.dirname, "../../../..");
const demo = join(folder, "examples/inbox/src/demo.ts");
const cli = join(folder, "packages/millrace/src/cli/main.ts");

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves as soon as stderr holds this text. */
  says(text: string): Promise<void>;
}

/** A folder that goes when the test is over. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "inbox-demo-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function startDemo(args: readonly string[]): Running {
  return start(process.execPath, [demo, ...args], false);
}

export function runDemo(args: readonly string[]): Promise<Finished> {
  return startDemo(args).finished;
}

/** A command of `millrace` as the demo prints it, pasted into a shell. */
export function paste(command: string): Promise<Finished> {
  return start(command.replace(/^npx millrace/, `"${process.execPath}" "${cli}"`), [], true).finished;
}

function start(command: string, args: readonly string[], shell: boolean): Running {
  const { NO_COLOR: _, FORCE_COLOR: __, INIT_CWD: ___, VITEST: ____, ...env } = process.env;
  const child = spawn(command, args, { env, shell, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (stderr.includes(text) && resolve());
      child.stderr.on("data", look);
      child.once("close", () => reject(new Error(`ended without saying ${JSON.stringify(text)}: ${stderr}`)));
      look();
    });
  return { child, finished, says };
}
