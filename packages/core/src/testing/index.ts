/** `@millrace/core/testing`: what adapter authors and engine developers prove their work with. */
export {
  backendContract,
  contractTitles,
  type BackendContract,
  type StoreUnderTest,
  type TestFunctions,
} from "./backend-contract.ts";
export { cacheStoreContract, type CacheStoreContract } from "./cache-store-contract.ts";
export { executorContract, type ExecutorContract } from "./executor-contract.ts";
