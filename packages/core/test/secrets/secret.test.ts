import { inspect } from "node:util";
import { expect, test } from "vitest";
import { isSecretRef, secret, secretRef } from "../../src/index.ts";
import { decode, encode } from "../../src/journal/codec/codec.ts";

const value = "canary-5eeb2b1f";

test("HAZARDS 9: a secret shows as [redacted] however it is printed, joined, serialized or looked into", () => {
  const key = secret(value);
  // What people do by mistake, and in JavaScript without being told.
  const text = key as unknown as string;
  const texts = [key.toString(), `key: ${text}`, "key: ".concat(text), key.toJSON(), JSON.stringify({ key })];
  texts.push(inspect(key), inspect({ key }, { showHidden: true, depth: 9 }), inspect(key, { customInspect: false }));
  texts.push(JSON.stringify(Object.getOwnPropertyDescriptors(key)), Reflect.ownKeys(key).join(), String([key]));
  texts.push(JSON.stringify(structuredClone({ ...key })), inspect(new Error("x", { cause: key })));
  for (const text of texts) expect(text).not.toContain(value);
  for (const text of texts.slice(0, 7)) expect(text).toContain("[redacted]");
  expect(() => structuredClone(key)).not.toThrow();
  expect(inspect(structuredClone(key))).not.toContain(value);
  expect(key.reveal()).toBe(value);
});

test("bytes of a secret are its own: changing what went in or came out changes nothing", () => {
  const bytes = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
  const key = secret(bytes);
  bytes.fill(0);
  key.reveal().fill(9);
  expect([...key.reveal()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(inspect(key)).toBe("[redacted]");
});

test("a secret that is not there is refused where it is made, and says why", () => {
  expect(() => secret(undefined as unknown as string)).toThrow(/not undefined[^]*process\.env/);
  expect(() => secret("")).toThrow(/empty/);
  expect(() => secret({ token: "x" } as unknown as string)).toThrow(/wrap its fields/);
});

test.each([
  ["value", secret(value)],
  ["user.keys[1].k", { user: { keys: [0, { k: secret(value) }] } }],
  ['get("key")', new Map([["key", secret(value)]])],
])("Unencodable: a secret is never encoded, and the path %s and the fix are named", (path, given) => {
  const error = (() => {
    try {
      return encode(given);
    } catch (thrown) {
      return thrown as Error;
    }
  })() as Error;
  expect(error).toMatchObject({ code: "Unencodable" });
  expect(error.message).toContain(path);
  expect(error.message).toContain("secretRef(");
  expect(error.message).not.toContain(value);
});

test("a reference to a secret is data: it is encoded as its name, and comes back as itself", () => {
  const ref = secretRef("vault/app#token");
  const text = encode({ ref });
  expect(JSON.parse(text)).toEqual({ $t: { ref: { $t: "SecretRef", v: "vault/app#token" } } });
  const { ref: back } = decode(text) as { ref: unknown };
  expect(isSecretRef(back) && back.name).toBe("vault/app#token");
  expect(Object.isFrozen(back)).toBe(true);
});

test("what only looks like a reference is none: data from outside cannot name a secret", () => {
  const fromOutside = JSON.parse('{"$t":"SecretRef","v":"NAME","name":"NAME"}') as unknown;
  expect(isSecretRef(fromOutside)).toBe(false);
  expect(isSecretRef(decode(encode(fromOutside)))).toBe(false);
  expect(isSecretRef(structuredClone(secretRef("NAME")))).toBe(false);
});

test("names of secrets are visible ASCII, in code and in journals", () => {
  for (const name of ["", "with space", "ümläut", "x".repeat(257), "a\nb"]) {
    expect(() => secretRef(name), name).toThrow(/visible ASCII/);
    expect(() => decode(JSON.stringify({ $t: { $t: "SecretRef", v: name } }))).toThrow(/SecretRef/);
  }
  for (const name of ["__proto__", "constructor", "A_1", "x".repeat(256)]) expect(secretRef(name).name).toBe(name);
});
