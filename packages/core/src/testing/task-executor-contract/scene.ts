import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { decode } from "../../journal/codec/codec.ts";
import { encodeAs } from "../../journal/encode-as.ts";
import type { Told } from "../../ports/executor.ts";
import type { RanHere, TaskExecution, TaskExecutor, TaskWork } from "../../ports/task-executor.ts";
import { requestOf, taskRunner } from "../../state-graph/task-runner.ts";
import { tried } from "./graphs.ts";

export interface TaskExecutorCase {
  readonly title: string;
  play(scene: TaskScene): Promise<void>;
}

/** A task that was handed over, and what was heard of it. */
export interface HandedTask {
  readonly execution: TaskExecution;
  /** What happened, in its order: `started`, events as `["told", …]`, `["log", …]`, `settled`. */
  readonly heard: readonly unknown[];
  /** How often its input was asked for. */
  readonly inputs: readonly number[];
  /** What the body came to; never unhandled. */
  readonly outcome: Promise<unknown>;
  /** As an engine does it. */
  abandon(): void;
}

export const told: Told = {
  runId: "run",
  graph: "tried",
  node: "superstep/node/tells/body",
  path: "tried/superstep#1/task[0]/node/tells/body",
  attempt: 2,
  idempotencyKey: "0123456789abcdef",
  timeout: 0,
  context: null,
  tags: null,
  thread: "conversation-1",
};

export interface Handing {
  readonly graph?: string;
  readonly admitted?: () => Promise<void> | null;
}

/** One case: an executor that is open, and a folder of its own. */
export class TaskScene {
  readonly executor: TaskExecutor;
  readonly #folder: string = mkdtempSync(join(tmpdir(), "millrace-tasks-"));

  constructor(executor: TaskExecutor) {
    this.executor = executor;
  }

  hand(node: string, value: unknown, { graph = "tried", admitted = () => null }: Handing = {}): HandedTask {
    const heard: unknown[] = [];
    const inputs: number[] = [];
    const wanted = new AbortController();
    const text = encodeAs("input", { state: { value }, step: 3, answers: {}, recorded: [] });
    const tell = (event: string): void => void heard.push(["told", decode(event)]);
    const log: TaskWork["log"] = (level, message, data) => void heard.push(["log", level, message, data]);
    const work: TaskWork = {
      graph,
      node,
      step: 3,
      attempt: told.attempt,
      input: () => {
        inputs.push(inputs.length);
        return text;
      },
      told: () => told,
      // Here it needs no input that travels.
      run: async () => {
        const request = requestOf({ ...work, input: () => text });
        return decode(await taskRunner([tried]).run(request, { signal: wanted.signal, tell, log })) as RanHere;
      },
      started: () => void heard.push("started"),
      admitted,
      tell,
      log,
    };
    const execution = this.executor.run(work);
    const outcome = execution.outcome.then((ran) => (typeof ran === "string" ? decode(ran) : ran));
    outcome.then(
      () => heard.push("settled"),
      () => heard.push("settled"),
    );
    const abandon = (): void => {
      wanted.abort();
      execution.abandon();
    };
    return { execution, heard, inputs, outcome, abandon };
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

  /** A body that is at work. */
  async ticking(name: string): Promise<HandedTask> {
    const handed = this.hand("ticks", this.file(name));
    for (let waited = 0; this.marks(name) === 0; waited += 5) {
      if (waited > 20_000) throw new Error("the body of ticks did not begin within 20 seconds");
      await sleep(5);
    }
    return handed;
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
