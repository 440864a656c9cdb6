import { expect, test } from "vitest";
import { secret } from "../../src/index.ts";
import { Redactor } from "../../src/secrets/redactor.ts";
import { isSecretKey } from "../../src/secrets/secret-keys.ts";

const redactor = new Redactor();

test.each([
  "password",
  "dbPassword",
  "DB_PASSWORD",
  "Authorization",
  "proxy-authorization",
  "x-api-key",
  "apiKey",
  "apikey",
  "OPENAI_API_KEY",
  "openaiAPIKey",
  "accessToken",
  "refresh_token",
  "clientSecret",
  "set-cookie",
  "Cookie",
  "privateKey",
  "credentials",
])("a key called %s names a secret", (key) => {
  expect(isSecretKey(key)).toBe(true);
});

test.each([
  "maxTokens",
  "totalTokens",
  "tokenCount",
  "tokens",
  "key",
  "primaryKey",
  "secretary",
  "passwordless",
  "cookieBanner",
  "author",
  "",
  "__proto__",
])("a key called %s does not", (key) => {
  expect(isSecretKey(key)).toBe(false);
});

test("keys of one's own: a text is the whole key, a pattern is looked for, and the known ones can be left out", () => {
  const own = new Redactor({ keys: ["Social-Security_Number", /iban/gi] });
  const keys = ["socialSecurityNumber", "customerIban", "IBAN", "password", "other"];
  for (let i = 0; i < 3; i++) expect(keys.map((key) => own.hides(key))).toEqual([true, true, true, true, false]);
  const only = new Redactor({ keys: ["ssn"], defaults: false });
  expect(["ssn", "password"].map((key) => only.hides(key))).toEqual([true, false]);
});

test("HAZARDS 9: a known value is found in whatever form a text has it", () => {
  const value = 'p/s+w rd"€!x&';
  secret(value);
  const url = new URL("https://example.org/");
  url.password = value;
  url.searchParams.set("q", value);
  const texts = [
    `before ${value} after`,
    JSON.stringify({ deep: JSON.stringify({ value }).length, value }),
    url.href,
    `https://example.org/${encodeURIComponent(value)}/x`,
    `https://example.org/${encodeURI(value)}`,
    ...["", "a", "ab", "abc"].map((user) => Buffer.from(`${user}${value}:`).toString("base64")),
    Buffer.from(`user:${value}`).toString("base64url"),
  ];
  for (const text of texts) {
    const shown = redactor.text(text);
    expect(shown, text).toContain("[redacted]");
    for (const form of [value, encodeURIComponent(value), "p%2Fs", "w rd", "w%20rd", "w+rd"])
      expect(shown, text).not.toContain(form);
  }
});

test("values of fewer than six characters are not looked for: they are everywhere", () => {
  secret("abcde");
  secret("qwertz");
  expect(redactor.text("abcde and qwertz")).toBe("abcde and [redacted]");
});

test("of two secrets one of which begins like the other none is left in part", () => {
  secret("begins-alike");
  secret("begins-alike-and-goes-on");
  expect(redactor.text("x begins-alike-and-goes-on y begins-alike z")).toBe("x [redacted] y [redacted] z");
});

test("of thousands of secrets the thousand used last are known, also where they overlap, and a new one costs little", () => {
  secret("used-again-and-again");
  const values = Array.from({ length: 1_500 }, (_, i) => secret(`one-of-many-${i}-${(i * 7919) % 10_007}`));
  const since = performance.now();
  for (const value of values.slice(-400)) {
    const text = value.reveal();
    expect(redactor.text(`x ${text} y`)).toBe("x [redacted] y");
    expect(redactor.text(`x ${text}${text} y`)).toBe("x [redacted][redacted] y");
    secret(`${text}-longer`);
    expect(redactor.text(`x ${text}-longer y`)).toBe("x [redacted] y");
    secret("used-again-and-again").reveal();
  }
  expect(performance.now() - since).toBeLessThan(20_000);
  expect(redactor.text("used-again-and-again")).toBe("[redacted]");
});

test("bytes are found as hexadecimal and base64", () => {
  const bytes = new Uint8Array(32).map((_, i) => (i * 37 + 11) & 0xff);
  secret(bytes);
  for (const encoding of ["hex", "base64", "base64url"] as const) {
    const text = Buffer.from(bytes).toString(encoding);
    expect(redactor.text(`key=${text}`)).not.toContain(text.slice(0, 40));
  }
});

test.each([
  ["postgres://ann:hunter22@db.example.org/app", "postgres://ann:[redacted]@db.example.org/app"],
  ["GET https://x.org/?a=1&api_key=abc123&b=2#f failed", "GET https://x.org/?a=1&api_key=[redacted]&b=2#f failed"],
  ["Authorization: Bearer abcdef123456", "Authorization: [redacted]"],
  ["sent Bearer abcdef123456, got 401", "sent Bearer [redacted], got 401"],
  ['{"user":"ann","password":"hun\\"ter","n":1}', '{"user":"ann","password":"[redacted]","n":1}'],
  ["PGPASSWORD=hunter22 psql", "PGPASSWORD=[redacted] psql"],
  ["DB_PASSWORD=hunter22 psql", "DB_PASSWORD=[redacted] psql"],
  ["Unexpected token '<' in JSON; token: expected string", "Unexpected token '<' in JSON; token: expected string"],
  ["maxTokens=100 tokens=5", "maxTokens=100 tokens=5"],
])("places of a text where a secret stands by the way it is written: %s", (text, shown) => {
  expect(redactor.text(text)).toBe(shown);
});

test("redacting takes time in proportion to the text, whatever stands in it", () => {
  for (const part of ["//a:", "a=", '"a":', "bearer ", "authorization:", '"password":"\\', "//", ":@", "a.-"]) {
    const text = part.repeat(Math.ceil(400_000 / part.length));
    const since = performance.now();
    redactor.text(text);
    expect(performance.now() - since, part).toBeLessThan(2_000);
  }
});

test("a copy without secrets: what holds none is the value itself, whatever it is", () => {
  secret("known-value-1");
  const plain = { a: [1, { b: "c" }], at: new Date(0), bytes: new Uint8Array(3), m: new Map([["k", new Set([1])]]) };
  expect(redactor.value(plain)).toBe(plain);
  const cyclic: { self?: object; token: string } = { token: "x-y-z" };
  cyclic.self = cyclic;
  expect(redactor.value(cyclic)).toEqual({ token: "[redacted]", self: "[circular]" });
  const given = {
    headers: { Authorization: "Bearer abc", accept: "*/*" },
    list: ["ok", "known-value-1"],
    map: new Map<string, unknown>([["password", "x"]]),
    set: new Set(["has known-value-1"]),
    url: new URL("https://ann:known-value-1@x.org/"),
    hasPassword: true,
    secret: secret("known-value-2"),
    pin: { password: 1234, token: null, cookie: false },
  };
  const shown = redactor.value(given);
  expect(shown).toEqual({
    headers: { Authorization: "[redacted]", accept: "*/*" },
    list: ["ok", "[redacted]"],
    map: new Map([["password", "[redacted]"]]),
    set: new Set(["has [redacted]"]),
    url: "https://ann:[redacted]@x.org/",
    hasPassword: true,
    secret: "[redacted]",
    pin: { password: "[redacted]", token: null, cookie: false },
  });
  expect(given.headers.Authorization).toBe("Bearer abc");
});

test("an error keeps its class and loses the secret in its message, stack, cause and fields", () => {
  secret("known-value-3");
  const cause = new RangeError("at known-value-3");
  const error = Object.assign(new TypeError("GET https://x.org/?k=known-value-3", { cause }), {
    config: { apiKey: "k" },
  });
  const shown = redactor.value(error) as typeof error;
  expect(shown).toBeInstanceOf(TypeError);
  expect(shown.message).toBe("GET https://x.org/?k=[redacted]");
  expect(`${shown.stack} ${(shown.cause as Error).stack} ${(shown.cause as Error).message}`).not.toContain(
    "known-value",
  );
  expect(shown.config).toEqual({ apiKey: "[redacted]" });
  expect(error.message).toContain("known-value-3");
});

test("whatever is looked through, redacting answers: proxies, accessors, depth, breadth", () => {
  const throws = (): never => {
    throw new Error("no");
  };
  expect(redactor.value(new Proxy({}, { getPrototypeOf: throws, ownKeys: throws }))).toBe("[unreadable]");
  expect(
    redactor.value({
      get x() {
        return throws();
      },
    }),
  ).toBeTypeOf("object");
  let deep: object = { password: "p" };
  for (let i = 0; i < 100; i++) deep = { deep };
  expect(JSON.stringify(redactor.value(deep))).not.toContain('"p"');
});

test("a cut goes through no secret: what is left of it is not shown either", () => {
  const value = "very-long-secret-value-0123456789";
  secret(value);
  for (let before = 0; before < 80; before++) {
    const text = `${"x".repeat(before)}${value}${"y".repeat(100)}${value}${value}zz`;
    const head = redactor.head(text, 60);
    expect(head.length).toBeLessThanOrEqual(60);
    expect(head).not.toContain("very");
  }
});
