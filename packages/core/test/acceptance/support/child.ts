import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A real process that runs one of `programs/`; killed with the test if it is still there. */
export class Child {
  readonly process: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  stdout = "";
  stderr = "";

  constructor(program: string, args: readonly string[]) {
    const file = fileURLToPath(new URL(`../programs/${program}.ts`, import.meta.url));
    this.process = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    this.#closed = once(this.process, "close");
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text));
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  /** Until the program has said `text`. */
  async until(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      if (this.process.exitCode !== null)
        throw new Error(`the child ended with ${this.process.exitCode}: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Until the process is gone and all it said has arrived; its exit code, or the signal that ended it. */
  async exit(): Promise<number | string> {
    const [code, signal] = (await this.#closed) as [number | null, string | null];
    return code ?? signal ?? "gone";
  }

  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#closed;
  }
}
