import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { KeyedHash } from "../../../src/node/encrypted/keyed-hash.ts";

test("the keyed hash is HMAC-SHA256", () => {
  for (const [length, text] of [
    [32, ""],
    [32, "x"],
    [64, "ümläut 🧵"],
    [1, "y".repeat(1_000)],
    [20, "z".repeat(64)],
  ] as const) {
    const key = randomBytes(length);
    expect(new KeyedHash(key).of(text)).toEqual(createHmac("sha256", key).update(text).digest());
  }
});
