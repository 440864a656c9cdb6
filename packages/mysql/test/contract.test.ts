import { backendContract } from "@millrace/core/testing";
import { describe, test } from "vitest";

import { storeUnderTest } from "./support/store.ts";

describe("R10 MySQL keeps the contract of all backends", () => {
  backendContract({ name: "mysql", create: storeUnderTest }, { describe, test });
});
