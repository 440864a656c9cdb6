import { describe, test } from "vitest";
import { inlineTasks, oneAtATime } from "../../src/index.ts";
import { taskPool } from "../../src/node/index.ts";
import { taskExecutorContract } from "../../src/testing/task-executor-contract.ts";

const ownProcess = {
  "E7 a body that takes its process down fails, worth another attempt, and nothing else does": "it is our process",
};

taskExecutorContract({ name: "inline", create: inlineTasks, skip: ownProcess }, { describe, test });
taskExecutorContract({ name: "one at a time", create: () => oneAtATime(), skip: ownProcess }, { describe, test });
taskExecutorContract(
  { name: "worker threads", create: ({ module }) => taskPool({ module, threads: 2 }) },
  { describe, test },
);
