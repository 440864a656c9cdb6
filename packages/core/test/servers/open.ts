import { expect, test } from "vitest";

import { opened, urlOf, type ServerHarness } from "./harness.ts";
import { newRun } from "./runs.ts";

export function openTests(harness: ServerHarness): void {
  test("ten processes that set one place up at once all open", async () => {
    const place = harness.fresh();
    const backends = await Promise.all(Array.from({ length: 10 }, (_, i) => opened(harness, `owner-${i}`, place)));
    await backends[0]!.create(newRun("r"));
    expect((await backends[9]!.get("r"))?.owner).toBe("owner-0");
    expect((await backends[5]!.stats()).owners).toBe(10);
  });

  test("H29 tables that a newer version wrote are refused by name, and left as they are", async () => {
    const place = harness.fresh();
    const backend = await opened(harness, "a", place);
    await harness.claimVersion(place, 99);
    const late = harness.backend(urlOf(harness), place, {});
    await expect(late.open("b")).rejects.toMatchObject({
      code: "DatabaseTooNew",
      message: expect.stringMatching(/version 99/),
    });
    expect(await backend.stats()).toMatchObject({ owners: 1, schemaVersion: 99 });
  });

  test("a configuration of a pool serves as an address; functions besides password are refused", async () => {
    const place = harness.fresh();
    const backend = harness.fromConfig(place);
    await backend.open("a");
    await Promise.all(Array.from({ length: 20 }, (_, i) => backend.create(newRun(`r${i}`))));
    expect(await backend.list()).toHaveLength(20);
    await backend.close();
    const strange = harness.fromConfig(place, { ssl: { checkServerIdentity: () => undefined } });
    await expect(strange.open("a")).rejects.toMatchObject({ code: "InvalidOption" });
  });

  test("texts that no backend keeps are refused by name, wherever they stand", async () => {
    const place = harness.fresh();
    const backend = await opened(harness, "a", place);
    for (const text of ["a\0b", "\ud800"]) {
      await expect(backend.create(newRun(text))).rejects.toMatchObject({ code: "InvalidRunId" });
      for (const changes of [
        { graph: text },
        { thread: text },
        { labels: { user: text } },
        { labels: { [text]: "x" } },
      ]) {
        await expect(backend.create(newRun("r", changes))).rejects.toMatchObject({ code: "DatabaseFailed" });
      }
      const other = harness.backend(urlOf(harness), place, {});
      await expect(other.open(text)).rejects.toMatchObject({ code: "DatabaseFailed" });
      expect(await backend.list({ labels: { user: text } })).toEqual([]);
      expect(await backend.claim({ statuses: ["running"], runId: text, limit: 1, at: 1 })).toEqual([]);
    }
    expect(await backend.list()).toEqual([]);
  });
}
