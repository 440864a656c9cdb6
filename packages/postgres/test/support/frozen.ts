import { expect } from "vitest";

import { Child } from "../../../core/test/servers/child.ts";
import { opened, settingsOf } from "../../../core/test/servers/harness.ts";
import { appendOf, eventually, readAll } from "../../../core/test/servers/runs.ts";
import { withinMs } from "../../../core/test/servers/zombie.ts";
import { harness } from "./harness.ts";

/** H3: stopped between Execute and Sync, so that the server holds its locks and waits for it. */
export async function playFrozen(round: number): Promise<"fenced off"> {
  const schema = harness.fresh();
  const id = `frozen-${round}`;
  const frozen = new Child(harness.program, "frozen append", settingsOf(harness, schema, "frozen", [id]));
  await frozen.said("ready");
  const heir = await opened(harness, "heir", schema, { lease: 1_000 });
  const [row] = await eventually("take-over", withinMs, async () => {
    const rows = await heir.claim({ statuses: ["running"], limit: 10, at: Date.now() });
    return rows.length > 0 ? rows : undefined;
  });
  expect(row).toMatchObject({ id, epoch: 2, lastSeq: 1 });
  expect(await heir.append(appendOf(id, 2, { epoch: 2 }))).toEqual({ type: "ok" });
  frozen.signal("SIGCONT");
  expect(await frozen.said("append")).toBe("append lost");
  expect(await readAll(heir, id)).toEqual([
    { seq: 1, text: "epoch 1" },
    { seq: 2, text: "epoch 2" },
  ]);
  return "fenced off";
}
