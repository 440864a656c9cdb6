import { backendContract } from "@millrace/core/testing";
import { describe, test } from "vitest";

import { storeUnderTest } from "./support/store.ts";

backendContract({ name: "postgres", create: storeUnderTest }, { describe, test });
