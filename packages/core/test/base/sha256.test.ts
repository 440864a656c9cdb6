import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/base/sha256.ts";

const reference = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

describe("sha256Hex", () => {
  it("gives the published digests", () => {
    expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("agrees with node:crypto at every length around the block and padding borders", () => {
    for (let length = 0; length <= 260; length++) {
      const bytes = new Uint8Array(randomBytes(length));
      expect(sha256Hex(bytes), `length ${length}`).toBe(reference(bytes));
    }
  });

  it("agrees with node:crypto on large random data, and on a view into it", () => {
    const bytes = new Uint8Array(randomBytes(300_001));
    expect(sha256Hex(bytes)).toBe(reference(bytes));
    expect(sha256Hex(bytes.subarray(7, 70_000))).toBe(reference(bytes.subarray(7, 70_000)));
  });

  it("hashes a string as UTF-8", () => {
    const text = "mühle → 水車 🌊";
    expect(sha256Hex(text)).toBe(reference(text));
    expect(sha256Hex(text)).toBe(sha256Hex(new TextEncoder().encode(text)));
  });
});
