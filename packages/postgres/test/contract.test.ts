import { backendContract, storeContract } from "@millrace/core/testing";
import { describe, test } from "vitest";

import { storeUnderTest } from "./support/store.ts";

describe("R10 PostgreSQL keeps the contract of all backends", () => {
  backendContract({ name: "postgres", create: storeUnderTest }, { describe, test });
});

describe("S10 PostgreSQL keeps the contract of all stores", () => {
  storeContract({ name: "postgres", create: storeUnderTest }, { describe, test });
});
