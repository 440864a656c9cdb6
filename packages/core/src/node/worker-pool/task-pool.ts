import type { Executor } from "../../ports/executor.ts";
import type { TaskExecution, TaskExecutor, TaskWork } from "../../ports/task-executor.ts";
import { workerPool, type WorkerPoolOptions } from "./worker-pool.ts";

/**
 * Worker threads for tasks of state graphs: `openEngine({ tasks: taskPool({ module: new URL("./graphs.ts", import.meta.url) }) })`. Each
 * worker imports the module and finds the node by the names of its graph, which the module exports, and its own. One task at a time per thread;
 * a task that is not wanted any more is ended with its thread.
 *
 * @throws MillraceError `InvalidOption` for wrong settings.
 */
export function taskPool(options: WorkerPoolOptions): TaskExecutor {
  return new TaskPool(workerPool(options));
}

class TaskPool implements TaskExecutor {
  readonly #pool: Executor;

  constructor(pool: Executor) {
    this.#pool = pool;
  }

  open(): void {
    this.#pool.open();
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  run(work: TaskWork): TaskExecution {
    try {
      const { output, abandon } = this.#hand(work);
      return { outcome: output, abandon };
    } catch (error) {
      // What cannot be encoded cannot go elsewhere.
      const outcome = Promise.reject(error instanceof Error ? error : new Error(String(error)));
      outcome.catch(() => undefined);
      return { outcome, abandon: () => undefined };
    }
  }

  #hand(work: TaskWork): { readonly output: Promise<string>; readonly abandon: () => void } {
    const execution = this.#pool.run({
      op: `${work.graph}/${work.node}`,
      input: work.input(),
      told: work.told(),
      started: () => work.started(),
      admitted: () => work.admitted(),
      log: (level, message, data) => work.log(level, message, data),
      tell: (event) => work.tell(event),
    });
    return { output: execution.output, abandon: () => execution.abandon() };
  }
}
