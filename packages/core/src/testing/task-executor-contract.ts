import type { TaskExecutor } from "../ports/task-executor.ts";
import type { TestFunctions } from "./backend-contract.ts";
import { taskExecutorCases } from "./task-executor-contract/cases.ts";
import { TaskScene, type TaskExecutorCase } from "./task-executor-contract/scene.ts";

export interface TaskExecutorContract {
  /** Stands in the titles. */
  readonly name: string;
  /** An executor that nobody has opened yet, which runs tasks of the state graphs that `module` exports; called once per case. */
  create(options: { readonly module: URL }): TaskExecutor | Promise<TaskExecutor>;
  /** Cases that it cannot pass, by title, with the reason. A title that does not exist is an error. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** The contract of `TaskExecutor` (E1–E7) as tests, for any executor and any test runner. */
export function taskExecutorContract(contract: TaskExecutorContract, { describe, test }: TestFunctions): void {
  const skip = contract.skip ?? {};
  const titles = taskExecutorCases.map(({ title }) => title);
  for (const title of Object.keys(skip)) {
    if (titles.includes(title)) continue;
    throw new Error(`the contract of task executors has no case "${title}" to skip; it has:\n${titles.join("\n")}`);
  }
  describe(`contract of task executors: ${contract.name}`, () => {
    for (const one of taskExecutorCases) {
      const reason = skip[one.title];
      if (reason === undefined) test(one.title, () => play(contract, one));
      else test.skip(`${one.title} (skipped: ${reason})`, async () => {});
    }
  });
}

const module = new URL("./task-executor-contract/graphs.ts", import.meta.url);

async function play(contract: TaskExecutorContract, one: TaskExecutorCase): Promise<void> {
  const executor = await contract.create({ module });
  const scene = new TaskScene(executor);
  executor.open();
  try {
    await one.play(scene);
  } finally {
    await executor.close();
    scene.end();
  }
}
