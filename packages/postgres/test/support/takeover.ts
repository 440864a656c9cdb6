import type { RunRow } from "@millrace/core";
import { expect, inject } from "vitest";

import { Child } from "./child.ts";
import { appendOf, eventually, opened, readAll } from "./runs.ts";
import { freshSchema } from "./store.ts";

const leaseMs = 1_000;
/** Within which a run of an owner that stands still has another one (H3). */
const withinMs = leaseMs + 2_000;

/**
 * H1: an owner is stopped while it appends, another one takes its run over and goes on, and the first one wakes up: it must not
 * write a row any more.
 */
export async function playZombie(round: number): Promise<"fenced off"> {
  const schema = freshSchema();
  const url = inject("postgresUrl");
  const runs = [`a-${round}`, `b-${round}`];
  const zombie = new Child("append", { url, schema, owner: "zombie", lease: leaseMs, runs });
  await zombie.said("ready");
  const heir = await opened("heir", { schema, lease: leaseMs });
  // Somewhere in its stream of appends, wherever that is.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
  zombie.signal("SIGSTOP");
  const claimed: RunRow[] = [];
  await eventually("take-over", withinMs, async () => {
    claimed.push(...(await heir.claim({ statuses: ["running"], limit: 10, at: Date.now() })));
    return claimed.length === runs.length ? true : undefined;
  });
  for (const { id, epoch, lastSeq } of claimed) {
    expect(epoch).toBe(2);
    for (const seq of [lastSeq + 1, lastSeq + 2]) {
      expect(await heir.append(appendOf(id, seq, { epoch }))).toEqual({ type: "ok" });
    }
  }
  zombie.signal("SIGCONT");
  for (const id of runs) expect(await zombie.said(`lost ${id}`)).toMatch(/^lost/);
  expect(await zombie.exited).toBe(0);
  for (const { id, lastSeq } of claimed) {
    const rows = await readAll(heir, id);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
    const firstOfHeir = rows.findIndex(({ text }) => text === "epoch 2");
    expect(firstOfHeir).toBe(lastSeq);
    expect(rows.slice(firstOfHeir).every(({ text }) => text === "epoch 2")).toBe(true);
  }
  return "fenced off";
}

/** H3: stopped between Execute and Sync, so that the server holds its locks and waits for it. */
export async function playFrozen(round: number): Promise<"fenced off"> {
  const schema = freshSchema();
  const url = inject("postgresUrl");
  const id = `frozen-${round}`;
  const frozen = new Child("freeze", { url, schema, owner: "frozen", lease: leaseMs, runs: [id] });
  await frozen.said("ready");
  const heir = await opened("heir", { schema, lease: leaseMs });
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
