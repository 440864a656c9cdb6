import { backendContract, storeContract } from "@millrace/core/testing";
import { describe, test } from "vitest";

import { storeUnderTest } from "./support/store.ts";

describe("R10 MySQL keeps the contract of all backends", () => {
  backendContract({ name: "mysql", create: storeUnderTest }, { describe, test });
});

describe("S10 MySQL keeps the contract of all stores", () => {
  storeContract({ name: "mysql", create: storeUnderTest }, { describe, test });
});
