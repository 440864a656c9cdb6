import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
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
      // Lenient itself; as everywhere, the way back tells.
      expect(toBase64Portable(fromBase64Portable(text))).not.toBe(text);
      expect(() => fromBase64(text)).toThrow("malformed base64");
    },
  );
});

function run(script: string, ...flags: string[]): string {
  return execFileSync(process.execPath, [...flags, "--input-type=module", "-e", script], { encoding: "utf8" }).trim();
}

describe("a platform without Buffer", () => {
  it("reads bytes that were a Buffer as Uint8Array, and keeps the rest", () => {
    const codec = fileURLToPath(new URL("../../../src/journal/codec/codec.ts", import.meta.url));
    const script = `
      delete globalThis.Buffer;
      const { decode, encode } = await import(${JSON.stringify(codec)});
      const bytes = decode('{"$t":{"$t":"Buffer","v":"aGk="}}');
      const refused = (() => { try { decode('{"$t":{"$t":"Buffer","v":"a*k="}}'); } catch (error) { return error.code; } })();
      console.log(Object.getPrototypeOf(bytes) === Uint8Array.prototype, [...bytes].join(), encode(bytes), refused);
    `;
    const expected = 'true 104,105 {"$t":{"$t":"Uint8Array","v":"aGk="}} JournalCorrupt';
    expect(run(script)).toBe(expected);
    // The same where byte arrays have methods of their own: newer hosts have them without the flag.
    const methods = `if (typeof Uint8Array.fromBase64 !== "function") throw new Error("no fromBase64");`;
    expect(run(methods + script, "--js-base-64")).toBe(expected);
  });
});
