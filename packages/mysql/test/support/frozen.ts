import type { Connection } from "mysql2/promise";
import { expect } from "vitest";

import { Child } from "../../../core/test/servers/child.ts";
import { opened, settingsOf } from "../../../core/test/servers/harness.ts";
import { appendOf, eventually, newRun, readAll } from "../../../core/test/servers/runs.ts";
import { withinMs } from "../../../core/test/servers/zombie.ts";
import { harness } from "./harness.ts";
import { withClient } from "./store.ts";

/** H3: stopped before the COMMIT of a claim, so that the server holds the rows and waits for it. */
export async function playFrozen(round: number): Promise<"fenced off"> {
  const prefix = harness.fresh();
  const id = `frozen-${round}`;
  const dead = await opened(harness, "dead", prefix, { lease: 60_000 });
  await dead.create(newRun(id));
  await dead.abandon();
  await harness.lapse(prefix, "dead");
  const heir = await opened(harness, "heir", prefix, { lease: 1_000 });
  const frozen = await withClient(async (client) => {
    // The server ends what stands still within seconds: whoever looks for it is there before, also on a busy machine.
    const child = new Child(harness.program, "frozen claim", settingsOf(harness, prefix, "frozen"));
    await eventually("the lock", 30_000, async () => {
      if (await isHeld(client, prefix)) return true;
      // On a busy server the last renewal of the dead one comes late.
      await harness.lapse(prefix, "dead");
      return undefined;
    });
    return child;
  });
  const [row] = await eventually("take-over", withinMs, async () => {
    const rows = await heir.claim({ statuses: ["running"], limit: 10, at: Date.now() });
    return rows.length > 0 ? rows : undefined;
  });
  expect(row).toMatchObject({ id, epoch: 2, lastSeq: 1, owner: "heir" });
  expect(await heir.append(appendOf(id, 2, { epoch: 2 }))).toEqual({ type: "ok" });
  frozen.signal("SIGCONT");
  // Its patience may have run out while it stood still.
  expect(await frozen.said("claimed")).toMatch(/^claimed (0|DatabaseUnavailable)$/);
  expect(await readAll(heir, id)).toEqual([
    { seq: 1, text: "epoch 1" },
    { seq: 2, text: "epoch 2" },
  ]);
  return "fenced off";
}

/** Whether somebody holds a run there. */
async function isHeld(client: Connection, prefix: string): Promise<boolean> {
  const [all] = await client.query(`SELECT n FROM \`${prefix}runs\``);
  const [free] = await client.query(`SELECT n FROM \`${prefix}runs\` FOR UPDATE SKIP LOCKED`);
  return (free as unknown[]).length < (all as unknown[]).length;
}
