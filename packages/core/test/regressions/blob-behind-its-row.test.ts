import { expect, test } from "vitest";
import { graph, memory, op, type Backend } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const big = "x".repeat(100_000);
const left = op("left", async () => ({ big: `left ${big}` }));
const right = op("right", async () => {
  await new Promise((done) => setTimeout(done, 10));
  return { big: `right ${big}` };
});
const both = graph("both", () => ({ left: left().big, right: right().big }));

function slowBlobs(log: string[], fail: boolean): Backend {
  const store = memory();
  return Object.assign(Object.create(store) as Backend, {
    open: (owner: string) => store.open(owner),
    create: (run: Parameters<Backend["create"]>[0]) => store.create(run),
    read: (runId: string, from?: number) => store.read(runId, from),
    get: (runId: string) => store.get(runId),
    list: (filter?: Parameters<Backend["list"]>[0]) => store.list(filter),
    claim: (request: Parameters<Backend["claim"]>[0]) => store.claim(request),
    release: (runId: string, epoch: number) => store.release(runId, epoch),
    getBlob: (hash: string) => store.getBlob(hash),
    close: () => store.close(),
    async putBlob(hash: string, bytes: Uint8Array) {
      await new Promise((done) => setTimeout(done, 30));
      if (fail) throw new Error("disk full");
      await store.putBlob(hash, bytes);
      log.push(hash);
    },
    async append(append: Parameters<Backend["append"]>[0]) {
      const named = new TextDecoder().decode(append.row.bytes).match(/(?<="\$b":")[0-9a-f]{64}/g) ?? [];
      for (const hash of named) expect(log).toContain(hash);
      return store.append(append);
    },
  });
}

test("J4 H25 a row never goes out before the blobs it names, also those that came while earlier ones were on their way", async () => {
  const log: string[] = [];
  const engine = await open({ backend: slowBlobs(log, false) });
  const output = await engine.run(both, {});
  expect(output.right).toHaveLength(big.length + 6);
  expect(log.length).toBeGreaterThanOrEqual(2);
});

test("J5 a blob that cannot be stored gives the run up, and ends nothing else", async () => {
  const engine = await open({ backend: slowBlobs([], true) });
  await expect(engine.run(both, {})).rejects.toThrow("disk full");
});
