import { spawn, type ChildProcessByStdio } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { requestOf, type TaskExecution, type TaskExecutor, type TaskWork } from "../../../src/index.ts";

const program = fileURLToPath(new URL("../programs/task-process.ts", import.meta.url));

interface Said {
  readonly id: number;
  readonly started?: true;
  readonly told?: string;
  readonly outcome?: string;
  readonly error?: string;
}

interface Sent {
  readonly work: TaskWork;
  readonly resolve: (outcome: string) => void;
  readonly reject: (error: Error) => void;
}

/** An executor of tasks in a process of its own, as somebody might write one: over standard input and output. */
export class ProcessTasks implements TaskExecutor {
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  readonly #sent: Map<number, Sent> = new Map();
  #last = 0;
  #users = 0;
  readonly #gone: Promise<unknown>[] = [];

  open(): void {
    this.#users++;
  }

  run(work: TaskWork): TaskExecution {
    const id = ++this.#last;
    const outcome = new Promise<string>((resolve, reject) => this.#sent.set(id, { work, resolve, reject }));
    outcome.catch(() => undefined);
    this.#send(id, { request: requestOf(work) });
    const abandon = (): void => {
      if (!this.#sent.has(id)) return;
      this.#send(id, { abort: true });
      this.#settle(id, (sent) => sent.reject(new Error("it is not wanted any more")));
    };
    return { outcome, abandon };
  }

  #send(id: number, what: object): void {
    this.#child ??= this.#start();
    this.#child.stdin.write(`${JSON.stringify({ id, ...what })}\n`);
  }

  #start(): ChildProcessByStdio<Writable, Readable, null> {
    const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: child.stdout }).on("line", (line) => this.#heard(JSON.parse(line) as Said));
    child.stdin.on("error", () => undefined);
    this.#gone.push(new Promise((resolve) => child.on("exit", resolve)));
    child.on("exit", () => {
      this.#child = null;
      const error = Object.assign(new Error("the process of the task is gone"), { retryable: true });
      for (const at of this.#sent.keys()) this.#settle(at, (sent) => sent.reject(error));
    });
    return child;
  }

  #heard({ id, started, told, outcome, error }: Said): void {
    const sent = this.#sent.get(id);
    if (sent === undefined) return;
    if (started === true) sent.work.started();
    if (told !== undefined) sent.work.tell(told);
    if (outcome !== undefined) this.#settle(id, ({ resolve }) => resolve(outcome));
    if (error !== undefined) this.#settle(id, ({ reject }) => reject(new Error(error)));
  }

  #settle(id: number, settle: (sent: Sent) => void): void {
    const sent = this.#sent.get(id);
    this.#sent.delete(id);
    if (sent !== undefined) settle(sent);
  }

  async close(): Promise<void> {
    if (--this.#users > 0) return;
    this.#child?.kill();
    await Promise.all(this.#gone);
  }
}
