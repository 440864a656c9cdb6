import { randomBytes } from "node:crypto";
import { crc32 as zlibCrc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/base/crc32.ts";

describe("crc32", () => {
  it("gives the published check value", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array())).toBe(0);
  });

  it("agrees with zlib at every length and offset around the slices of eight", () => {
    const bytes = new Uint8Array(randomBytes(64));
    for (let from = 0; from < 9; from++) {
      for (let to = from; to <= 64; to++) {
        expect(crc32(bytes.subarray(from, to))).toBe(zlibCrc32(bytes.subarray(from, to)));
      }
    }
  });

  it("agrees with zlib at every length and offset around the one from which words are read", () => {
    const bytes = new Uint8Array(randomBytes(1100));
    for (let from = 0; from < 9; from++) {
      for (let to = 1000; to <= 1100; to++) {
        const part = bytes.subarray(from, to);
        expect(crc32(part, from)).toBe(zlibCrc32(part, from));
      }
    }
  });

  it("agrees with zlib on large random data", () => {
    const bytes = new Uint8Array(randomBytes(200_003));
    expect(crc32(bytes)).toBe(zlibCrc32(bytes));
  });

  it("continues from the checksum of what came before", () => {
    const bytes = new Uint8Array(randomBytes(1000));
    for (const cut of [0, 1, 7, 8, 9, 500, 999, 1000]) {
      const first = crc32(bytes.subarray(0, cut));
      expect(crc32(bytes.subarray(cut), first)).toBe(zlibCrc32(bytes));
      expect(crc32(bytes.subarray(cut), first)).toBe(zlibCrc32(bytes.subarray(cut), first));
    }
  });
});
