import { appendCases } from "./backend-contract/append.ts";
import { attemptCases } from "./backend-contract/attempts.ts";
import { fenceCases } from "./backend-contract/fence.ts";
import { inboxCases } from "./backend-contract/inbox.ts";
import { retentionCases } from "./backend-contract/retention.ts";
import { threadCases } from "./backend-contract/threads.ts";
import { blobCases } from "./backend-contract/blobs.ts";
import { claimCases } from "./backend-contract/claim.ts";
import { compactionCases } from "./backend-contract/compaction.ts";
import { createCases } from "./backend-contract/create.ts";
import { lifecycleCases } from "./backend-contract/lifecycle.ts";
import { restoreCases } from "./backend-contract/restore.ts";
import { readCases } from "./backend-contract/read.ts";
import { type ContractCase, Scene, type StoreUnderTest } from "./backend-contract/scene.ts";
import { takenUpCases } from "./backend-contract/taken-up.ts";
import { watchingCases } from "./backend-contract/watching.ts";

export type { StoreUnderTest } from "./backend-contract/scene.ts";

export interface BackendContract {
  /** Stands in the titles: `sqlite`, `memory`. */
  readonly name: string;
  /** A store that nobody has used yet; called once per case. */
  create(): Promise<StoreUnderTest>;
  /** Cases this backend cannot pass, by title, with the reason. A title that does not exist is an error. */
  readonly skip?: Readonly<Record<string, string>>;
}

/** What vitest, `node:test`, jest and mocha have in common. */
export interface TestFunctions {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly test: {
    (title: string, body: () => Promise<void>): unknown;
    skip(title: string, body: () => Promise<void>): unknown;
  };
}

/**
 * The contract of `Backend` (B1–B16) as tests, for any backend and any test runner.
 *
 * @example
 * import { describe, test } from "vitest";
 * backendContract({ name: "mine", create: async () => new MyStoreUnderTest() }, { describe, test });
 */
export function backendContract(contract: BackendContract, { describe, test }: TestFunctions): void {
  const skip = contract.skip ?? {};
  for (const title of Object.keys(skip)) {
    if (!contractTitles.includes(title)) throw new Error(`the backend contract has no case "${title}" to skip`);
  }
  for (const [title, cases] of groups) {
    describe(`backend contract: ${contract.name}: ${title}`, () => {
      for (const contractCase of cases) {
        const reason = skip[contractCase.title];
        if (reason === undefined) test(contractCase.title, () => play(contract, contractCase));
        else test.skip(`${contractCase.title} (skipped: ${reason})`, async () => {});
      }
    });
  }
}

const groups: readonly (readonly [title: string, cases: readonly ContractCase[]])[] = [
  ["create", createCases],
  ["append", appendCases],
  ["claim and release", claimCases],
  ["attempts and due runs", attemptCases],
  ["inbox", inboxCases],
  ["inbox of runs that are taken up", takenUpCases],
  ["threads", threadCases],
  ["retention", retentionCases],
  ["restore and requeue", restoreCases],
  ["a store that was put back", fenceCases],
  ["read, get and list", readCases],
  ["blobs", blobCases],
  ["snapshots and compaction", compactionCases],
  ["runs that are watched", watchingCases],
  ["open and close", lifecycleCases],
];

/** Every case, for those who want to count or skip them. */
export const contractTitles: readonly string[] = groups.flatMap(([, cases]) => cases.map(({ title }) => title));

export async function play(contract: BackendContract, contractCase: ContractCase): Promise<void> {
  const store = await contract.create();
  const scene = new Scene(store);
  try {
    await contractCase.play(scene);
  } finally {
    await scene.end();
    await store.dispose();
  }
}
