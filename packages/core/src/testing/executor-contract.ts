import type { Executor } from "../ports/executor.ts";
import type { TestFunctions } from "./backend-contract.ts";
import { executorCases } from "./executor-contract/cases.ts";
import { type ExecutorCase, ExecutorScene } from "./executor-contract/scene.ts";

export interface ExecutorContract {
  /** Stands in the titles: `worker pool`. */
  readonly name: string;
  /**
   * An executor that nobody has opened yet, which runs the ops that `module` exports, by their names, and `concurrency` (2)
   * bodies at once; called once per case.
   */
  create(options: { readonly module: URL; readonly concurrency: number }): Executor | Promise<Executor>;
  /** Cases this executor cannot pass, by title, with the reason. A title that does not exist is an error. */
  readonly skip?: Readonly<Record<string, string>>;
}

/**
 * The contract of `Executor` (X1–X4) as tests, for any executor and any test runner. Cases take up to a few seconds.
 *
 * @example
 * import { describe, test } from "vitest";
 * executorContract({ name: "mine", create: ({ module }) => new MyExecutor(module) }, { describe, test });
 */
export function executorContract(contract: ExecutorContract, { describe, test }: TestFunctions): void {
  const skip = contract.skip ?? {};
  const titles = executorCases.map(({ title }) => title);
  for (const title of Object.keys(skip)) {
    if (titles.includes(title)) continue;
    throw new Error(`the executor contract has no case "${title}" to skip; it has:\n${titles.join("\n")}`);
  }
  describe(`executor contract: ${contract.name}`, () => {
    for (const executorCase of executorCases) {
      const { title } = executorCase;
      const reason = skip[title];
      if (reason === undefined) test(title, () => play(contract, executorCase));
      else test.skip(`${title} (skipped: ${reason})`, async () => {});
    }
  });
}

const module = new URL("./executor-contract/ops.ts", import.meta.url);

async function play(contract: ExecutorContract, executorCase: ExecutorCase): Promise<void> {
  const executor = await contract.create({ module, concurrency: 2 });
  const scene = new ExecutorScene(executor);
  executor.open();
  try {
    await executorCase.play(scene);
  } finally {
    await executor.close();
    scene.end();
  }
}
