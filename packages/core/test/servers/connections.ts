import { expect, test } from "vitest";

import { opened, type ServerHarness } from "./harness.ts";
import { appendOf, newRun, pause, readAll } from "./runs.ts";

/** `endsPerRound`: connections that a working owner has at least. */
export function connectionTests(harness: ServerHarness, endsPerRound: number): void {
  test("an owner survives the end of every connection it has, again and again, while it works", async () => {
    const place = harness.fresh();
    const backend = await opened(harness, "a", place, { lease: "3s" });
    let hints = 0;
    backend.onHint?.(() => (hints += 1));
    const ids = Array.from({ length: 5 }, (_, i) => `r${i}`);
    await Promise.all(ids.map((id) => backend.create(newRun(id))));
    const state = { isOver: false, ended: 0 };
    const working = ids.map(async (id) => {
      for (let seq = 2; !state.isOver; seq += 1) {
        expect(await backend.append(appendOf(id, seq))).toEqual({ type: "ok" });
        expect(await backend.get(id)).toMatchObject({ lastSeq: seq });
      }
    });
    for (let i = 0; i < 6; i += 1) {
      await pause(150);
      state.ended += await harness.terminate(place);
    }
    state.isOver = true;
    await Promise.all(working);
    expect(state.ended).toBeGreaterThanOrEqual(6 * endsPerRound);
    for (const id of ids) {
      const rows = await readAll(backend, id);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, i) => i + 1));
      expect(rows.length).toBe((await backend.get(id))?.lastSeq);
    }
    await pause(3_500);
    expect(backend.alive?.()).toBe(true);
    expect(hints).toBeGreaterThan(0);
  });
}

/** No password stands in names, errors, or what they were caused by. */
export function expectNoPassword(failures: readonly unknown[], password: string): void {
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: "DatabaseUnavailable" });
    const { message, stack, cause } = failure as Error;
    const all = [message, stack, cause, String(cause), (cause as Error | undefined)?.stack];
    expect(JSON.stringify(all)).not.toContain(password);
  }
}
