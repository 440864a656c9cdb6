import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fromBase64, fromBase64Portable, toBase64, toBase64Portable } from "../../../src/journal/codec/base64.ts";

describe("base64 without Buffer", () => {
  it("writes and reads what Buffer does, at every length", () => {
    for (let length = 0; length < 100; length++) {
      const bytes = new Uint8Array(randomBytes(length));
      const text = Buffer.from(bytes).toString("base64");
      expect(toBase64Portable(bytes)).toBe(text);
      expect(toBase64(bytes)).toBe(text);
      expect([...fromBase64Portable(text)]).toEqual([...bytes]);
      expect([...fromBase64(text)]).toEqual([...bytes]);
    }
  });

  it("writes only the bytes in view", () => {
    const bytes = new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 3);
    expect(toBase64(bytes)).toBe("AQI=");
    expect(toBase64Portable(bytes)).toBe("AQI=");
  });

  it.each(["a", "abc", "a===", "====", "=abc", "a=bc", "ab=c", "ab*d", "ab\u0141d", "ab d", "AQI=AQI="])(
    "refuses %j",
    (text) => {
      expect(() => fromBase64Portable(text)).toThrow("malformed base64");
      expect(() => fromBase64(text)).toThrow("malformed base64");
    },
  );
});
