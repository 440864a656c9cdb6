import { expect, test } from "vitest";

import { takeoverTests } from "../../core/test/servers/takeover.ts";
import { playFrozen } from "./support/frozen.ts";
import { harness } from "./support/harness.ts";

takeoverTests(harness);

test("H3 an owner that stands still before the COMMIT of a claim is killed, and its runs go on", async () => {
  await expect(playFrozen(1)).resolves.toBe("fenced off");
});
