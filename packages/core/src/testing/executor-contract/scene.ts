import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { decode } from "../../journal/codec/codec.ts";
import { encodeAs } from "../../journal/encode-as.ts";
import type { Execution, Executor, Told } from "../../ports/executor.ts";
import type { LogLevel } from "../../ports/log.ts";

export interface ExecutorCase {
  readonly title: string;
  play(scene: ExecutorScene): Promise<void>;
}

/** A task that was handed to the executor, and what was heard of it. */
export interface Handed {
  readonly execution: Execution;
  /** When `started` was called, by `Date.now()`. */
  readonly starts: readonly number[];
  readonly lines: readonly (readonly [level: LogLevel, message: string, data: unknown])[];
  /** The decoded output, or what the body threw; never unhandled. */
  readonly output: Promise<unknown>;
}

export const told: Told = {
  runId: "run",
  graph: "flow",
  node: "node",
  path: "flow/items[3]/node",
  attempt: 2,
  idempotencyKey: "0123456789abcdef",
  timeout: 0,
  context: null,
  tags: { traceId: "trace", labels: { user: "ann" } },
  thread: "conversation-1",
};

/** One case: an executor that is open, and a folder of its own. */
export class ExecutorScene {
  readonly executor: Executor;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-executor-"));

  constructor(executor: Executor) {
    this.executor = executor;
  }

  /** X1: it must not throw, whatever it is handed. `text` stands in the place of the encoded input. */
  hand(
    op: string,
    input: unknown,
    text: string = encodeAs("input", input),
    admitted: () => Promise<void> | null = () => null,
  ): Handed {
    const starts: number[] = [];
    const lines: [LogLevel, string, unknown][] = [];
    const execution = this.executor.run({
      op,
      input: text,
      told,
      started: () => void starts.push(Date.now()),
      admitted,
      log: (level, message, data) => void lines.push([level, message, data]),
    });
    const output = execution.output.then((encoded) => decode(encoded));
    output.catch(() => undefined);
    return { execution, starts, lines, output };
  }

  file(name: string): string {
    return join(this.#folder, name);
  }

  /** How many marks a body has left. */
  marks(name: string): number {
    try {
      return readFileSync(this.file(name)).length;
    } catch {
      return 0;
    }
  }

  /** A busy body that is at work. */
  async spinning(name: string): Promise<Handed> {
    const handed = this.hand("spins", { file: this.file(name) });
    for (let waited = 0; this.marks(name) === 0; waited += 10) {
      if (waited > 10_000) throw new Error("the body of op spins did not begin within 10 seconds");
      await sleep(10);
    }
    return handed;
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
