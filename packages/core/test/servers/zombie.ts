import { expect } from "vitest";

import type { RunRow } from "../../src/ports/backend.ts";
import { Child } from "./child.ts";
import { opened, settingsOf, type ServerHarness } from "./harness.ts";
import { appendOf, eventually, pause, readAll } from "./runs.ts";

const lease = 1_000;
/** Within which a run of an owner that stands still has another one (H3). */
export const withinMs: number = lease + 2_000;

/**
 * H1: an owner is stopped while it appends, another one takes its run over and goes on, and the first one wakes up: it must not
 * write a row any more.
 *
 * @param moment milliseconds after it began to append: somewhere in its stream of appends, wherever that is
 */
export async function playZombie(
  harness: ServerHarness,
  round: number,
  moment: number = Math.random() * 50,
): Promise<"fenced off"> {
  const place = harness.fresh();
  const runs = [`a-${round}`, `b-${round}`];
  const zombie = new Child(harness.program, "append", settingsOf(harness, place, "zombie", runs));
  await zombie.said("ready");
  const heir = await opened(harness, "heir", place, { lease });
  await pause(moment);
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
