import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "../../src/base/sha256.ts";
import { systemSha256 } from "../../src/ports/system.ts";

const texts = ["", "abc", "żółć 🎉", "lone \ud800 surrogate \udc00", "nul \0", "x".repeat(70_000)];

describe("the host's hash", () => {
  test.each(texts)("is the one in JavaScript, also of text that is not well formed (case %#)", (text) => {
    expect(systemSha256(text)).toBe(sha256Hex(text));
    expect(systemSha256(text)).toBe(createHash("sha256").update(text).digest("hex"));
  });

  test("hashes the bytes in view", () => {
    const bytes = new Uint8Array(1_000).map((_, i) => i);
    for (const [from, to] of [
      [0, 1_000],
      [3, 67],
      [999, 1_000],
      [5, 5],
    ])
      expect(systemSha256(bytes.subarray(from, to))).toBe(sha256Hex(bytes.subarray(from, to)));
  });

  test("is not needed: without the modules of Node values hash to the same", () => {
    const system = fileURLToPath(new URL("../../src/ports/system.ts", import.meta.url));
    const script = `
      globalThis.process = undefined;
      const { systemSha256 } = await import(${JSON.stringify(system)});
      console.log(systemSha256("abc"), systemSha256.name);
    `;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(printed.trim()).toBe(`${sha256Hex("abc")} sha256Hex`);
  });
});
