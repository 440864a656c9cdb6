import { expect } from "vitest";

import type { RunRow } from "../../src/ports/backend.ts";
import { Child } from "./child.ts";
import { opened, settingsOf, type ServerHarness } from "./harness.ts";
import { appendOf, eventually, readAll } from "./runs.ts";

const lease = 1_000;
/** Within which a run of an owner that stands still has another one (H3). */
export const withinMs: number = lease + 2_000;

/**
 * H1: an owner is stopped while it appends, another one takes its run over and goes on, and the first one wakes up: it must not
 * write a row any more.
 */
export async function playZombie(harness: ServerHarness, round: number): Promise<"fenced off"> {
  const place = harness.fresh();
  const runs = [`a-${round}`, `b-${round}`];
  const zombie = new Child(harness.program, "append", settingsOf(harness, place, "zombie", runs));
  await zombie.said("ready");
  const heir = await opened(harness, "heir", place, { lease });
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
