import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

/** A program in a process of its own, which is told what to play and with what settings, and what it said so far. It ends with the test. */
export class Child {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  readonly exited: Promise<number | null>;
  #stderr = "";
  #heard: (() => void)[] = [];
  #isOver = false;

  constructor(program: URL, what: string, settings: object) {
    this.process = spawn(process.execPath, [fileURLToPath(program), what, JSON.stringify(settings)], { stdio: "pipe" });
    this.process.stderr!.on("data", (chunk) => (this.#stderr += String(chunk)));
    createInterface({ input: this.process.stdout! }).on("line", (line) => {
      this.lines.push(line);
      this.#wake();
    });
    this.exited = new Promise((resolve) => {
      this.process.once("exit", (code) => {
        this.#isOver = true;
        this.#wake();
        resolve(code);
      });
    });
    onTestFinished(() => void this.process.kill("SIGKILL"));
  }

  /** The first line that begins so, now or later. */
  async said(start: string): Promise<string> {
    for (;;) {
      const line = this.lines.find((text) => text.startsWith(start));
      if (line !== undefined) return line;
      if (this.#isOver) throw new Error(`the child ended without "${start}": ${this.lines.join("; ")} ${this.#stderr}`);
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }

  tell(line: string): void {
    this.process.stdin!.write(`${line}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  get stderr(): string {
    return this.#stderr;
  }

  #wake(): void {
    for (const resolve of this.#heard.splice(0)) resolve();
  }
}
