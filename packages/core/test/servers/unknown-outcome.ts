import { expect, test } from "vitest";

import { cuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";
import { opened, urlOf, type ServerHarness } from "./harness.ts";
import { appendOf, newRun, readAll } from "./runs.ts";

export function unknownOutcomeTests(harness: ServerHarness): void {
  const { requests } = harness;
  const proxyOf = (): Promise<CuttingProxy> => cuttingProxy(urlOf(harness), (piece) => harness.isAnswered(piece));

  for (const what of ["request", "reply"] as const) {
    test(`H16 an append whose ${what} is lost happens once, and is acknowledged`, async () => {
      const proxy = await proxyOf();
      const backend = await opened(harness, "a", harness.fresh(), {}, proxy.url);
      await backend.create(newRun("r"));
      await backend.append(appendOf("r", 2));
      proxy.cut(what, requests.append);
      expect(await backend.append(appendOf("r", 3))).toEqual({ type: "ok" });
      expect(await backend.append(appendOf("r", 4))).toEqual({ type: "ok" });
      expect(proxy.cuts).toBe(1);
      expect((await readAll(backend, "r")).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    });

    test(`H16 a commit of many runs whose ${what} is lost happens once, and a stale run of it is lost`, async () => {
      const proxy = await proxyOf();
      const backend = await opened(harness, "a", harness.fresh(), {}, proxy.url);
      const ids = Array.from({ length: 20 }, (_, i) => `r${i}`);
      for (const id of ids) await backend.create(newRun(id));
      proxy.cut(what, requests.appends);
      const results = await Promise.all(
        ids.flatMap((id, i) => [2, 3].map((seq) => backend.append(appendOf(id, seq, i === 7 ? { epoch: 5 } : {})))),
      );
      expect(proxy.cuts).toBe(1);
      for (const [i, { type }] of results.entries()) expect(type).toBe(i >> 1 === 7 ? "lost" : "ok");
      for (const [i, id] of ids.entries()) expect(await readAll(backend, id)).toHaveLength(i === 7 ? 1 : 3);
    });

    test(`H16 a create, a note and a claim whose ${what} is lost happen once, and are told as done`, async () => {
      const proxy = await proxyOf();
      const backend = await opened(harness, "a", harness.fresh(), {}, proxy.url);
      proxy.cut(what, requests.create);
      expect(await backend.create(newRun("r"))).toEqual({ type: "created" });
      proxy.cut(what, requests.post);
      const note = { runId: "r", kind: "answer", key: "q", bytes: Buffer.from("yes"), by: "ann", at: 1 } as const;
      expect(await backend.post({ ...note, wakes: [] })).toMatchObject({ type: "posted" });
      expect(await backend.inbox("r")).toHaveLength(1);
      await backend.release("r", 1);
      proxy.cut(what, requests.claim);
      const claimed = await backend.claim({ statuses: ["running"], limit: 5, at: Date.now() });
      expect(claimed).toMatchObject([{ id: "r", epoch: 2, owner: "a" }]);
      expect(await backend.get("r")).toMatchObject({ epoch: 2 });
      expect(proxy.cuts).toBe(3);
    });
  }

  test("H16 appends whose request is lost three times in a row happen once, in order, and are acknowledged", async () => {
    const proxy = await proxyOf();
    const backend = await opened(harness, "a", harness.fresh(), {}, proxy.url);
    await backend.create(newRun("r"));
    await backend.append(appendOf("r", 2));
    proxy.cut("request", requests.append, 3);
    const results = await Promise.all([3, 4].map((seq) => backend.append(appendOf("r", seq))));
    expect(results).toEqual([{ type: "ok" }, { type: "ok" }]);
    expect(proxy.cuts).toBe(3);
    expect((await readAll(backend, "r")).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  test("H16 an append whose request never arrives fails when the patience is over, and is known not to be stored", async () => {
    const proxy = await proxyOf();
    const backend = await opened(harness, "a", harness.fresh(), { patience: 100 }, proxy.url);
    await backend.create(newRun("r"));
    await backend.append(appendOf("r", 2));
    proxy.cut("request", requests.append, Number.POSITIVE_INFINITY);
    await expect(backend.append(appendOf("r", 3))).rejects.toMatchObject({
      code: "DatabaseUnavailable",
      message: expect.not.stringContaining("is not known") as string,
    });
    expect(proxy.cuts).toBeGreaterThan(2);
    expect((await readAll(backend, "r")).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test("H16 a lost append to a run that somebody else took meanwhile is lost, not repeated", async () => {
    const place = harness.fresh();
    const proxy = await proxyOf();
    const first = await opened(harness, "a", place, {}, proxy.url);
    const second = await opened(harness, "b", place);
    await first.create(newRun("r"));
    await first.release("r", 1);
    await second.claim({ statuses: ["running"], limit: 1, at: Date.now() });
    proxy.cut("request", requests.append);
    expect(await first.append(appendOf("r", 2))).toMatchObject({ type: "lost", row: { owner: "b", epoch: 2 } });
    expect(await readAll(second, "r")).toHaveLength(1);
  });
}
