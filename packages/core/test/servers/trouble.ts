import { describe, expect, test } from "vitest";

import { opened, type ServerHarness } from "./harness.ts";
import { appendOf, newRun, readAll } from "./runs.ts";

export function troubleTests(harness: ServerHarness): void {
  describe("trouble", () => {
    test("H14 B5 a row that the server refuses fails alone, in whatever company it was", async () => {
      const place = harness.fresh();
      const backend = await opened(harness, "a", place);
      const ids = Array.from({ length: 20 }, (_, i) => `r${i}`);
      await Promise.all(ids.map((id) => backend.create(newRun(id))));
      const allow = await harness.refuse(place, "poison", "data");
      const poison = { ...appendOf("r7", 2).row, bytes: Buffer.from("poison") };
      const results = await Promise.allSettled(
        ids.flatMap((id) => [
          backend.append(appendOf(id, 2, id === "r7" ? { row: poison } : {})),
          backend.append(appendOf(id, 3, { status: "running" })),
        ]),
      );
      const refused = { status: "rejected", reason: { code: "DatabaseFailed" } };
      const expected = results.map((_, i) => ({ status: "fulfilled", value: { type: i === 15 ? "lost" : "ok" } }));
      expect(results).toMatchObject(expected.with(14, refused as never));
      await allow();
      expect(await backend.append(appendOf("r7", 2))).toEqual({ type: "ok" });
      for (const id of ids) expect(await readAll(backend, id)).toHaveLength(id === "r7" ? 2 : 3);
    });

    test("H18 a full disk is told as such to all who wait, changes nothing, and is over when there is room", async () => {
      const place = harness.fresh();
      const backend = await opened(harness, "a", place);
      const ids = ["r0", "r1", "r2"];
      await Promise.all(ids.map((id) => backend.create(newRun(id))));
      const free = await harness.refuse(place, "epoch 1", "full");
      for (const result of await Promise.allSettled(ids.map((id) => backend.append(appendOf(id, 2))))) {
        expect(result).toMatchObject({ status: "rejected", reason: { code: "DatabaseFull" } });
      }
      await expect(backend.create(newRun("late"))).rejects.toMatchObject({ code: "DatabaseFull" });
      await free();
      for (const id of ids) expect(await backend.append(appendOf(id, 2))).toEqual({ type: "ok" });
      expect(await backend.get("late")).toBeUndefined();
    });

    test("a conflict that never ends is tried some times and then told", async () => {
      const place = harness.fresh();
      const backend = await opened(harness, "a", place);
      await backend.create(newRun("r"));
      const allow = await harness.refuse(place, "epoch 1", "conflict");
      await expect(backend.append(appendOf("r", 2))).rejects.toMatchObject({ code: "DatabaseLocked" });
      await expect(backend.create(newRun("s"))).rejects.toMatchObject({ code: "DatabaseLocked" });
      await allow();
      expect(await backend.append(appendOf("r", 2))).toEqual({ type: "ok" });
    });
  });
}
