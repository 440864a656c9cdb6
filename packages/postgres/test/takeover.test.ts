import { expect, test } from "vitest";

import { takeoverTests } from "../../core/test/servers/takeover.ts";
import { playFrozen } from "./support/frozen.ts";
import { harness } from "./support/harness.ts";

takeoverTests(harness);

test("H3 an owner that stands still between Execute and Sync is taken over within its lease and two seconds", async () => {
  await expect(playFrozen(1)).resolves.toBe("fenced off");
});
