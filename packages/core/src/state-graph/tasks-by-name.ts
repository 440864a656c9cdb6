/** Which executor a task goes to, by what it is a task of. */
import { checkPort, shown, wrong } from "../engine/option-checks.ts";
import type { TaskExecution, TaskExecutor, TaskWork } from "../ports/task-executor.ts";
import { inlineTasks } from "./executors.ts";

/**
 * An executor per state graph (`"agent"`), or per node of one (`"agent/act"`, which counts before its graph); of a subgraph its own
 * name stands. What is not named goes to `otherwise`, `inlineTasks()` by default.
 *
 * @throws MillraceError `InvalidOption`
 */
export function tasksByName(
  executors: Readonly<Record<string, TaskExecutor>>,
  otherwise: TaskExecutor = inlineTasks(),
): TaskExecutor {
  const named = new Map(Object.entries(executors));
  for (const [name, executor] of [...named, ["otherwise", otherwise] as const]) {
    if (typeof executor !== "object" || executor === null)
      throw wrong(`tasksByName: "${name}" must be an executor of tasks, not ${shown(executor)}`);
    checkPort(`"${name}" of tasksByName()`, executor, ["open", "run", "close"]);
  }
  return new ByName(named, otherwise);
}

class ByName implements TaskExecutor {
  readonly #named: ReadonlyMap<string, TaskExecutor>;
  readonly #otherwise: TaskExecutor;
  /** Each once, under however many names it stands. */
  readonly #all: ReadonlySet<TaskExecutor>;

  constructor(named: ReadonlyMap<string, TaskExecutor>, otherwise: TaskExecutor) {
    this.#named = named;
    this.#otherwise = otherwise;
    this.#all = new Set([...named.values(), otherwise]);
  }

  open(): void {
    for (const executor of this.#all) executor.open();
  }

  run(work: TaskWork): TaskExecution {
    const { graph, node } = work;
    const executor = this.#named.get(`${graph}/${node}`) ?? this.#named.get(graph) ?? this.#otherwise;
    return executor.run(work);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((executor) => executor.close()));
  }
}
