import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { z } from "zod";
import { expect, test } from "vitest";
import {
  callerContext,
  cell,
  collect,
  derive,
  each,
  fallback,
  graph,
  interrupt,
  isSecretRef,
  last,
  memory,
  memoryTraces,
  op,
  openEngine,
  provide,
  push,
  resource,
  secret,
  secretRef,
  type LogEntry,
  type Ref,
  type Runnable,
  type Secret,
  type SecretRef,
} from "../../src/index.ts";
import { listTraces, readTrace, sqlite, sqliteTraces } from "../../src/node/index.ts";
import { open } from "./support/engines.ts";
import { folder } from "./support/files.ts";

const canary = "canary-s3cr3t/+9f2 b7";
const forms = [
  canary,
  encodeURIComponent(canary),
  "9f2 b7",
  "9f2%20b7",
  "9f2+b7",
  Buffer.from(canary).toString("base64").slice(0, 20),
];
const found = (text: string): string[] => forms.filter((form) => text.includes(form));

const key = secretRef("API_KEY");

test("HAZARDS 9: a reference is journaled by name and resolved when a body asks: after a crash, and after the secret was replaced", async () => {
  const seen: string[] = [];
  let hang = true;
  const use = op("use", async ({ ref, n }: { ref: SecretRef; n: number }, ctx) => {
    const value = await ctx.secret(ref);
    seen.push(`${n} ${value.reveal()}`);
    if (hang && n === 2) await new Promise(() => undefined);
    return { n, ref };
  });
  const flow = graph("flow", (input: Ref<{ ref: SecretRef; xs: number[] }>) => ({
    all: collect(use({ ref: input.ref, n: each(input.xs) })),
  }));
  const store = memory();
  const first = await openEngine({ backend: store, graphs: [flow], secrets: { API_KEY: "first-value" } });
  (await first.start(flow, { ref: key, xs: [1, 2] }, { id: "r" })).result().catch(() => undefined);
  while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
  await first.close();
  hang = false;
  const second = await open({ backend: store.another(), graphs: [flow], secrets: async (name) => `second-${name}` });
  const output = (await second.recovered[0]?.output()) as { all: { ref: unknown }[] };
  expect(seen).toEqual(["1 first-value", "2 first-value", "2 second-API_KEY"]);
  expect(output.all.every(({ ref }) => isSecretRef(ref))).toBe(true);
  const reader = store.another();
  await reader.open("reader");
  let journal = "";
  for await (const row of reader.read("r")) journal += new TextDecoder().decode(row.bytes);
  expect(journal).toContain('{"$t":"SecretRef","v":"API_KEY"}');
  expect(journal).not.toMatch(/first-value|second-API/);
});

test.each<[string, Parameters<typeof openEngine>[0], string]>([
  ["no secrets at all", {}, 'asked for secret "API_KEY", which is not among the engine\'s secrets: it has none'],
  ["others", { secrets: { OTHER: "abcdef" } }, "is not among the engine's secrets: OTHER"],
  ["one that is not set", { secrets: { API_KEY: undefined } }, "is not among"],
  ["a function without it", { secrets: () => undefined }, "the engine's function of secrets does not have"],
])("SecretMissing: an engine with %s", async (_what, options, message) => {
  const use = op("use", async ({ ref }: { ref: SecretRef }, ctx) => ({ n: (await ctx.secret(ref)).reveal().length }));
  const engine = await open(options);
  const result = await (await engine.start(use, { ref: key })).result();
  expect(result.errors).toMatchObject([
    { node: "use", code: "SecretMissing", message: expect.stringContaining(message) },
  ]);
});

test("names of secrets never reach what objects inherit, and names from outside choose none", async () => {
  const use = op("use", async ({ ref }: { ref: SecretRef }, ctx) => ({ is: inspect(await ctx.secret(ref)) }));
  const engine = await open({ secrets: { API_KEY: "abcdef" } });
  for (const name of ["__proto__", "constructor", "toString"]) {
    const result = await (await engine.start(use, { ref: secretRef(name) })).result();
    expect(result.errors).toMatchObject([{ code: "SecretMissing" }]);
  }
  for (const given of ["API_KEY", { name: "API_KEY" }, JSON.parse('{"$t":"SecretRef","v":"API_KEY"}')]) {
    const result = await (await engine.start(use, { ref: given as SecretRef })).result();
    expect(result.errors).toMatchObject([{ code: "InvalidValue" }]);
  }
  expect(await engine.run(use, { ref: key })).toEqual({ is: "[redacted]" });
});

test("a body by itself is told how to be given a secret", async () => {
  const use = op("use", async ({ ref }: { ref: SecretRef }, ctx) => ({ n: (await ctx.secret(ref)).reveal() }));
  await expect(use.fn({ ref: key })).rejects.toMatchObject({ code: "SecretMissing" });
  expect(await use.fn({ ref: key }, { secret: async () => secret("of a test") })).toEqual({ n: "of a test" });
});

test("resources, constants of a graph and closures may hold a secret; so may what runs without a journal", async () => {
  const Key = resource<Secret>("key");
  const use = op("use", { needs: { key: Key } }, async ({ pin }: { pin: Secret }, ctx) => ({
    n: ctx.resources.key.reveal().length + pin.reveal().length,
  }));
  const flow = graph("flow", (_input: Ref<{ n: number }>) => ({ n: use({ pin: secret("123456") }).n }));
  for (const options of [{}, { backend: memory() }]) {
    const engine = await open({ ...options, graphs: [flow], resources: [provide(Key, secret("abcdef"))] });
    expect(await engine.run(flow, { n: 1 })).toEqual({ n: 12 });
  }
});

test("Unencodable: a secret in an input, output, item, answer, caller context or the run's output fails there, with the path and the fix", async () => {
  const hidden = secret(canary);
  const engine = await open({ backend: memory() });
  const give = op("give", async (_input: object) => ({ deep: [{ hidden }] }));
  const items = op("items", async function* (_input: object) {
    yield { hidden };
  });
  const failureOf = async (flow: Runnable<object, unknown>): Promise<unknown> =>
    (await (await engine.start(flow, {})).result()).errors[0];
  const told = (path: string): object =>
    expect.objectContaining({ code: "Unencodable", message: expect.stringContaining(`${path}: a secret`) as string });
  expect(await failureOf(give)).toEqual(told("output.deep[0].hidden"));
  expect(await failureOf(graph("flow", () => ({ all: collect(items({}).hidden) })))).toEqual(told("item.hidden"));
  const inCell = cell("held", last<unknown>(null));
  const derived = graph("derived", (input: Ref<{ n: number }>) => {
    push(inCell, 1);
    return { out: derive(input.n, () => hidden) };
  });
  expect((await (await engine.start(derived, { n: 1 })).result()).errors).toEqual([told("output.out")]);
  const echo = op("echo", ({ x }: { x: unknown }) => ({ x }));
  await expect(engine.start(echo, { x: { hidden } })).rejects.toEqual(told("input.x.hidden"));
  const Caller = callerContext("caller", z.object({ key: z.any() }));
  const asks = op("asks", { context: Caller }, async (_input: object) => ({ n: 1 }));
  await expect(engine.start(asks, {}, { context: { key: hidden } })).rejects.toEqual(told("context.caller.key"));
  const question = graph("question", () => ({ said: interrupt("ask", {}, { answer: z.any() }) }));
  const handle = await engine.start(question, {});
  await handle.result();
  await expect(engine.answer(handle.runId, "ask", { hidden })).rejects.toMatchObject({ code: "Unencodable" });
  await engine.answer(handle.runId, "ask", { key });
  expect((await engine.get(handle.runId))?.output).toEqual({ said: { key } });
});

/** Fails in every way that could take a secret along, and then comes to an end. */
function leaky() {
  const Client = resource<{ call(): never }>("client");
  const login = op(
    "login",
    { retry: { attempts: 2, initial: 1 }, needs: { client: Client } },
    async ({ ref }: { ref: SecretRef }, ctx) => {
      const value = (await ctx.secret(ref)).reveal();
      ctx.log.warn(`trying ${value}`, {
        value,
        headers: { authorization: "Basic other-secret" },
        nested: [new Error(value)],
      });
      ctx.log.error("object", { ctx: { key: secret(value) } });
      const url = new URL("https://example.org/login");
      url.searchParams.set("key", value);
      url.password = value;
      const error = new Error(`GET ${url.href} failed for ${value}`, { cause: new TypeError(`socket of ${value}`) });
      throw Object.assign(error, {
        data: { url: url.href, config: { apiKey: "other-secret", value, held: secret(value) } },
      });
    },
  );
  const call = op("call", { needs: { client: Client } }, async (_input: { ref: SecretRef }, ctx) => ({
    n: ctx.resources.client.call() as number,
  }));
  const mended = op("mended", async ({ message, data }: { message: string; data: unknown }) => ({
    text: `${message} ${JSON.stringify(data)}`,
  }));
  const flow = graph("leaky", (input: Ref<{ ref: SecretRef; password: string }>) => {
    const tried = fallback(
      "try",
      () => ({ text: derive(login({ ref: input.ref }), () => "") }),
      (error) => ({
        text: mended({ message: error.message, data: error.data }).text,
      }),
    );
    call({ ref: input.ref });
    const edge = derive(input.ref, () => {
      throw new RangeError(`an edge with ${canary}`);
    });
    mended({ message: edge, data: null }, { name: "late" });
    return { text: tried.text };
  });
  const client = {
    call(): never {
      throw new AggregateError([new Error(canary)], `client with ${canary}`);
    },
  };
  return { flow, resources: [provide(Client, client)] };
}

function everyByteOf(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

test("HAZARDS 9: a canary secret is in no sink after a run with failures: database, WAL, traces, logs, warnings, results, thrown errors", async () => {
  const path = folder();
  const { flow, resources } = leaky();
  const lines: LogEntry[] = [];
  const warnings: string[] = [];
  const traces = memoryTraces();
  const engine = await openEngine({
    backend: sqlite(join(path, "runs.db")),
    graphs: [flow],
    resources,
    secrets: { API_KEY: secret(canary) },
    log: (entry) => void lines.push(entry),
    logLevel: "debug",
    warn: (text) => void warnings.push(text),
    traces: { sinks: [traces, sqliteTraces(join(path, "traces.db"))] },
  });
  const handle = await engine.start(flow, { ref: key, password: "other-secret-password" }, { id: "run" });
  const result = await handle.result();
  expect(result).toMatchObject({ status: "completed" });
  expect(result.errors.map(({ node }) => node).toSorted()).toEqual(["call", "input", "try/body/login"]);
  const thrown: unknown = await engine
    .run(flow, { ref: key, password: "" }, { errors: "raise" })
    .catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code: "OpFailed" });
  const sinks: Record<string, string> = {
    result: inspect(result, { depth: 20 }),
    thrown: inspect(thrown, { depth: 20 }),
    info: inspect(await engine.get("run"), { depth: 20 }),
    logs: inspect(lines, { depth: 20 }),
    warnings: warnings.join("\n"),
    traces: JSON.stringify(traces.trace("run")),
    files: everyByteOf(path),
  };
  await engine.close();
  sinks["files at the end"] = everyByteOf(path);
  sinks["stored traces"] = JSON.stringify(readTrace(join(path, "traces.db"), "run"));
  for (const [name, text] of Object.entries(sinks)) {
    expect([name, found(text)]).toEqual([name, []]);
    expect(text.length, name).toBeGreaterThan(10);
  }
  expect(listTraces(join(path, "traces.db")).length).toBe(2);
  // By their keys, although nobody called them secrets.
  for (const name of ["logs", "traces", "stored traces", "result"])
    expect(sinks[name], name).not.toContain("other-secret");
  for (const name of ["result", "logs", "warnings", "traces", "files"])
    expect(sinks[name], name).toContain("[redacted]");
  expect(lines.some(({ data }) => inspect(data).includes("[redacted]"))).toBe(true);
});

test("HAZARDS 9: a resource that cannot be made says why without the secret that it was made of, also in its cause", async () => {
  const Db = resource<object>("db");
  const url = `postgres://app:${encodeURIComponent(canary)}@db.example.org/app`;
  secret(canary);
  const make = (): never => {
    throw Object.assign(new Error(`cannot connect to ${url}`), { connectionString: url });
  };
  const error: unknown = await openEngine({ resources: [provide(Db, make)] }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "ResourceFailed",
    message: expect.stringContaining("app:[redacted]@db.example.org"),
  });
  expect(found(inspect(error, { depth: 9 }))).toEqual([]);
});

test("keys of one's own are hidden in logs and traces, and the known ones can be left to show", async () => {
  const note = op("note", async ({ ssn, token }: { ssn: string; token: string }, ctx) => {
    ctx.log.warn("noted", { ssn, token });
    return { ssn, token };
  });
  for (const [redact, shown] of [
    [{ keys: ["SSN"] }, { ssn: "[redacted]", token: "[redacted]" }],
    [
      { keys: [/ss/], defaults: false },
      { ssn: "[redacted]", token: "abc" },
    ],
    [{ defaults: false }, { ssn: "078", token: "abc" }],
  ] as const) {
    const lines: LogEntry[] = [];
    const traces = memoryTraces();
    const engine = await open({ redact, log: (entry) => void lines.push(entry), traces: { sinks: [traces] } });
    const handle = await engine.start(note, { ssn: "078", token: "abc" });
    // What the run holds is data, and stays as it is.
    expect(await handle.output()).toEqual({ ssn: "078", token: "abc" });
    expect(lines[0]?.data).toEqual(shown);
    const { input } = traces.trace(handle.runId)!.invocations.find(({ node }) => node === "note")!;
    expect(JSON.parse(input!)).toEqual(shown);
  }
});

test.each<[string, object, RegExp]>([
  ["secrets that are no record", { secrets: [] }, /secrets must be an object/],
  ["a secret that is a number", { secrets: { PIN: 1234 } }, /secret "PIN" must be a text or a secret\(\), not number/],
  ["an unknown setting", { redact: { key: [] } }, /no redact option "key"; did you mean "keys"/],
  ["keys that are no list", { redact: { keys: "ssn" } }, /redact.keys must be a list/],
  ["a key that is a number", { redact: { keys: [1] } }, /a text or a pattern/],
])("InvalidOption: %s", async (_what, options, message) => {
  await expect(openEngine(options)).rejects.toThrow(message);
});
