/** `@millrace/core/testing`: what adapter authors and engine developers prove their work with. */
export {
  backendContract,
  contractTitles,
  type BackendContract,
  type StoreUnderTest,
  type TestFunctions,
} from "./backend-contract.ts";
export { storeContract } from "./store-contract.ts";
export { cacheStoreContract, type CacheStoreContract } from "./cache-store-contract.ts";
export { executorContract, type ExecutorContract } from "./executor-contract.ts";
export { taskExecutorContract, type TaskExecutorContract } from "./task-executor-contract.ts";
export {
  simulate,
  type FaultKind,
  type Machine,
  type SimulateOptions,
  type SimulationReport,
} from "./world/simulate.ts";
export {
  crashHarness,
  type CrashHarnessOptions,
  type CrashReport,
  type CrashRun,
  type CrashSubject,
} from "./crash/harness.ts";
