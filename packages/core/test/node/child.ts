import { type ChildProcess, spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A real process that runs one of `programs/`. */
export class Child {
  readonly process: ChildProcess;
  stdout = "";
  stderr = "";

  constructor(program: string, ...args: string[]) {
    this.process = spawn(process.execPath, [pathOf(program), ...args], { stdio: ["ignore", "pipe", "pipe"] });
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
  }

  async until(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      if (this.process.exitCode !== null) throw new Error(`child ended: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Sends the signal and waits until the process is gone and everything it said has arrived. */
  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const closed = once(this.process, "close");
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill(signal);
    else return;
    await closed;
  }
}

/** Runs a program to its end, with the words of `before` (`["setpriv", …]`) in front of it. */
export function runToEnd(
  program: string,
  args: readonly string[],
  before: readonly string[] = [],
): SpawnSyncReturns<string> {
  const [command = process.execPath, ...rest] = [...before, process.execPath, pathOf(program), ...args];
  return spawnSync(command, rest, { encoding: "utf8", timeout: 15_000 });
}

function pathOf(program: string): string {
  return fileURLToPath(new URL(`./programs/${program}.ts`, import.meta.url));
}
