import { expect, test } from "vitest";
import { graph, memory, op, WrappedBackend, type Append, type AppendResult } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const big = "x".repeat(100_000);
const left = op("left", async () => ({ big: `left ${big}` }));
const right = op("right", async () => {
  await new Promise((done) => setTimeout(done, 10));
  return { big: `right ${big}` };
});
const both = graph("both", () => ({ left: left().big, right: right().big }));

class SlowBlobs extends WrappedBackend {
  readonly #log: string[];
  readonly #fail: boolean;

  constructor(log: string[], fail: boolean) {
    super(memory());
    this.#log = log;
    this.#fail = fail;
  }

  override async putBlob(hash: string, bytes: Uint8Array): Promise<void> {
    await new Promise((done) => setTimeout(done, 30));
    if (this.#fail) throw new Error("disk full");
    await super.putBlob(hash, bytes);
    this.#log.push(hash);
  }

  override async append(append: Append): Promise<AppendResult> {
    const named = new TextDecoder().decode(append.row.bytes).match(/(?<="\$b":")[0-9a-f]{64}/g) ?? [];
    const missing = named.filter((hash) => !this.#log.includes(hash) || append.blobs?.includes(hash) !== true);
    if (missing.length > 0) throw new Error(`a row went out before ${missing.join(", ")}, or does not refer to it`);
    return super.append(append);
  }
}

test("J4 H25 a row never goes out before the blobs it names, also those that came while earlier ones were on their way", async () => {
  const log: string[] = [];
  const engine = await open({ backend: new SlowBlobs(log, false) });
  const output = await engine.run(both, {});
  expect(output.right).toHaveLength(big.length + 6);
  expect(log.length).toBeGreaterThanOrEqual(2);
});

test("J5 a blob that cannot be stored gives the run up, and ends nothing else", async () => {
  const engine = await open({ backend: new SlowBlobs([], true) });
  await expect(engine.run(both, {})).rejects.toThrow("disk full");
});
