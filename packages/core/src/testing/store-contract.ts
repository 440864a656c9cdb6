import { play, type BackendContract, type TestFunctions } from "./backend-contract.ts";
import type { ContractCase } from "./backend-contract/scene.ts";
import { engineCases } from "./store-contract/engines.ts";
import { entryCases } from "./store-contract/entries.ts";
import { expiryCases } from "./store-contract/expiry.ts";
import { modelCases } from "./store-contract/model.ts";
import { placeCases } from "./store-contract/places.ts";
import { searchCases } from "./store-contract/search.ts";

const groups: readonly (readonly [title: string, cases: readonly ContractCase[]])[] = [
  ["entries", entryCases],
  ["expiry", expiryCases],
  ["places", placeCases],
  ["search", searchCases],
  ["against a model", modelCases],
  ["engines", engineCases],
];

/**
 * The contract of a backend's `store` (KV1–KV6), and of the store over it, as tests, for any backend and any test runner. It takes what
 * `backendContract` takes.
 *
 * @example
 * import { describe, test } from "vitest";
 * storeContract({ name: "mine", create: async () => new MyStoreUnderTest() }, { describe, test });
 */
export function storeContract(contract: BackendContract, { describe, test }: TestFunctions): void {
  const skip = contract.skip ?? {};
  const titles = groups.flatMap(([, cases]) => cases.map(({ title }) => title));
  for (const title of Object.keys(skip))
    if (!titles.includes(title)) throw new Error(`the store contract has no case "${title}" to skip`);
  for (const [title, cases] of groups) {
    describe(`store contract: ${contract.name}: ${title}`, () => {
      for (const contractCase of cases) {
        const reason = skip[contractCase.title];
        if (reason === undefined) test(contractCase.title, () => play(contract, contractCase));
        else test.skip(`${contractCase.title} (skipped: ${reason})`, async () => {});
      }
    });
  }
}
