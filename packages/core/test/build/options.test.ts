// oxlint-disable vitest/expect-expect -- expectRefusal asserts
import { expect, test } from "vitest";
import { z } from "zod";
import { collect, each, graph, op, reduce, resource, type Ref } from "../../src/index.ts";
import { expectRefusal, named, plan, refusal, untyped } from "./support.ts";

const one = op("one", async (_i: { x: string }) => ({ y: 1 }));
const inner = graph("inner", (input: Ref<{ x: string }>) => one({ x: input.x }).y);
const make = untyped(op);
const body = async () => ({});
type Input = Ref<{ xs: string[]; x: string }>;
const call = (options: unknown, per: boolean) => () =>
  graph("g", (input: Input) => untyped(one)({ x: per ? each(input.xs) : input.x }, options));
const callGraph =
  (options: unknown, per = true) =>
  () =>
    graph("g", (input: Input) => untyped(inner)({ x: per ? each(input.xs) : input.x }, options));

test("the kind of an op is known from its declaration", () => {
  const kinds = [
    op("a", () => ({})),
    op("b", async () => ({})),
    op("c", function* () {
      yield 1;
    }),
    op("d", async function* () {
      yield 1;
    }),
    op("e", { async: true }, () => Promise.resolve({})),
    op("f", { stream: true }, () =>
      (function* () {
        yield 1;
      })(),
    ),
    op("h", { stream: true }, function* () {
      yield 1;
    }),
  ].map((each) => named(plan(each), each.name).op!.kind);
  expect(kinds).toEqual(["inline", "async", "generator", "asyncGenerator", "async", "asyncGenerator", "generator"]);
});

test("an op's body can be run by itself, with a stand-in context", async () => {
  const echo = op("echo", async (i: { x: string }, ctx) => ({
    x: i.x,
    node: ctx.node,
    attempt: ctx.attempt,
    aborted: ctx.signal.aborted,
    run: ctx.runId,
  }));
  expect(await echo.fn({ x: "a" })).toEqual({ x: "a", node: "echo", attempt: 1, aborted: false, run: "test" });
  expect(await echo.fn({ x: "a" }, { attempt: 3, runId: "r" })).toMatchObject({ attempt: 3, run: "r" });
  const items: number[] = [];
  for await (const n of op("count", function* (i: { to: number }) {
    for (let n = 0; n < i.to; n++) yield n;
  }).fn({ to: 3 }))
    items.push(n);
  expect(items).toEqual([0, 1, 2]);
});

test("policies: absent means one attempt; present has defaults; a call's are merged field by field", () => {
  const retried = op(
    "retried",
    { retry: { attempts: 4, factor: 3 }, timeout: { run: "30s" } },
    async (_i: { x: string }) => ({}),
  );
  const policies = (options?: object) =>
    named(plan(graph("g", () => untyped(retried)({ x: "a" }, options))), "retried").policies;
  expect(named(plan(one), "one").policies).toEqual({
    retry: null,
    runTimeout: 0,
    idleTimeout: 0,
    totalTimeout: 0,
    onFailure: null,
    cache: null,
  });
  expect(policies()).toEqual({
    retry: { attempts: 4, initial: 500, factor: 3, max: 30_000, jitter: "equal", on: null },
    runTimeout: 30_000,
    idleTimeout: 0,
    totalTimeout: 0,
    onFailure: null,
    cache: null,
  });
  expect(
    policies({ retry: { initial: "1s", jitter: "none" }, timeout: { idle: 200, total: "1h" }, onFailure: "raise" }),
  ).toEqual({
    retry: { attempts: 4, initial: 1_000, factor: 3, max: 30_000, jitter: "none", on: null },
    runTimeout: 30_000,
    idleTimeout: 200,
    totalTimeout: 3_600_000,
    onFailure: "raise",
    cache: null,
  });
  expect(policies({ retry: false })).toMatchObject({ retry: null, runTimeout: 30_000 });
  expect(named(plan(graph("g", () => one({ x: "a" }, { retry: {} }))), "one").policies!.retry).toEqual({
    attempts: 3,
    initial: 500,
    factor: 2,
    max: 30_000,
    jitter: "equal",
    on: null,
  });
  expect(Object.isFrozen(policies()!.retry)).toBe(true);
});

test.each([
  [{ retry: { attempts: 0 } }, "retry.attempts of op a is 0", "it is a whole number, 1 or more"],
  [{ retry: { attempts: 1.5 } }, "retry.attempts of op a is 1.5", "it is a whole number, 1 or more"],
  [{ retry: { factor: 0.5 } }, "retry.factor of op a is 0.5", "it is a number, 1 or more"],
  [{ retry: { jitter: "some" } }, 'retry.jitter of op a is "some"', 'it is one of "equal", "full", "none"'],
  [{ retry: { on: true } }, "retry.on of op a is not a function", "write on: error => true or false"],
  [
    { retry: { attemps: 2 } },
    'retry of op a has no option "attemps"',
    'did you mean "attempts"? it takes attempts, initial, factor, max, jitter, on',
  ],
  [
    { retry: true },
    "the options of retry of op a are boolean",
    "options are a record: { attempts, initial, factor, max, jitter, on }",
  ],
  [{ timeout: { runs: 1 } }, 'timeout of op a has no option "runs"', 'did you mean "run"? it takes run, idle, total'],
  [{ onFailure: "stop" }, 'onFailure of op a is "stop"', 'it is one of "record", "raise"'],
  [{ effect: "safe" }, 'effect of op a is "safe"', 'it is one of "pure", "idempotent", "unsafe"'],
  [{ version: 2 }, "version of op a is not a string", 'write version: "2"'],
  [{ stream: false }, "stream of op a is false", "write stream: true, or leave it out"],
  [{ async: 1 }, "async of op a is 1", "write async: true, or leave it out"],
  [
    { stream: true },
    "op a is a stream, but its body returns a promise",
    "declare it async function*, or return a generator from a plain function",
  ],
  [
    { onResume: "verify" },
    "onResume of op a is set, but its output is not a stream",
    "leave it out, or make the body a generator",
  ],
  [
    { input: {} },
    "input of op a is not a schema",
    "give a Standard Schema, such as z.object({ … }) (https://standardschema.dev)",
  ],
  [null, "the options of op a are null", "options are a record: { "],
])("op options %j are refused", (options, message, hint) => {
  const refused = refusal(() => make("a", options, body));
  expect(refused.message.startsWith(`${message}\n  hint: ${hint}`), refused.message).toBe(true);
  expect(refused.code).toBe("BuildError");
});

test("an unknown op option names the nearest", () => {
  expect(refusal(() => make("a", { retires: 3 }, body)).message).toContain(
    'op a has no option "retires"\n  hint: did you mean "retry"?',
  );
  expectRefusal(() => make("a"), "op a has no body", 'write op("a", { … }, input => output)');
  expectRefusal(() => untyped(graph)("g"), "graph g has no body", 'write graph("g", input => …)');
  expectRefusal(
    () => untyped(graph)("g", { inptu: z.object({}) }, () => ({})),
    'graph g has no option "inptu"',
    'did you mean "input"? it takes input, title, migrate',
  );
  expectRefusal(
    () => untyped(graph)("g", { input: {} }, () => ({})),
    "input of graph g is not a schema",
    "give a Standard Schema, such as z.object({ … })",
  );
});

test("durations are checked at build", () => {
  expect(refusal(() => make("a", { timeout: { run: "30 secs" } }, body))).toEqual({
    code: "InvalidDuration",
    message:
      'timeout.run of op a: "30 secs" is not a duration\n  hint: write milliseconds as a number ≥ 0, or a number with a unit: "250ms", "30s", "5m", "1.5h", "3d"',
  });
});

test("a timeout needs a body that gives way", () => {
  const fix = "declare it async, or say { async: true } if it returns a promise";
  expectRefusal(
    () => op("a", { timeout: { run: "1s" } }, () => ({})),
    "op a has a timeout, but its body is a plain function",
    fix,
  );
  const sync = op("sync", () => ({}));
  expectRefusal(
    () => graph("g", () => sync({}, { timeout: { idle: 5 }, name: "s" })),
    "op s has a timeout, but its body is a plain function",
    fix,
  );
  expect(
    named(plan(op("a", { timeout: { run: "1s" }, async: true }, () => Promise.resolve({}))), "a").policies!.runTimeout,
  ).toBe(1000);
});

test("only streams are transient, and the build warns where something keeps all their items", () => {
  const fix = "leave it out, or make the body a generator";
  expectRefusal(
    () => make("a", { transient: true }, body),
    "transient of op a is set, but its output is not a stream",
    fix,
  );
  const no = () => make("a", { transient: false }, function* () {});
  expectRefusal(no, "transient of op a is false", "write transient: true, or leave it out");
  const tokens = op("tokens", { transient: true }, function* (_i: { x: string }) {
    yield { n: 1 };
  });
  const kept = graph("kept", (input: Ref<{ x: string }>) => ({ all: collect(tokens({ x: input.x }).n) }));
  expect(kept.plan.findings).toMatchObject([{ level: "warning", code: "TransientKept", node: "tokens" }]);
  const out = graph("out", (input: Ref<{ x: string }>) => ({ all: tokens({ x: input.x }).n }));
  expect(out.plan.findings).toMatchObject([{ code: "TransientKept" }]);
  const folded = graph("folded", (input: Ref<{ x: string }>) => ({
    sum: reduce("sum", tokens({ x: input.x }).n, 0, (a, b) => a + b),
  }));
  expect(folded.plan.findings).toEqual([]);
  expect(kept.findings).toBe(kept.plan.findings);
});

test("an op bound to the cpu gives one output and needs nothing of this thread; it may be timed out", () => {
  const bound = "cpu";
  const spec = named(plan(op("a", { bound, timeout: { run: 5 } }, () => ({}))), "a").op!;
  expect([spec.bound, spec.kind]).toEqual(["cpu", "async"]);
  expect(plan(op("a", { bound }, () => ({}))).elsewhere).toEqual(["a"]);
  expectRefusal(
    () => make("a", { bound }, function* () {}),
    "op a is bound to the cpu, but its output is a stream",
    "let it return a list, and wrap that in each(); or bind the ops that work on its items",
  );
  expectRefusal(
    () => make("a", { bound, needs: { db: resource("db") } }, body),
    "op a is bound to the cpu and has needs, but resources cannot go to another thread",
    "pass what it needs as data, or make its clients in its module",
  );
  expectRefusal(() => make("a", { bound: "gpu" }, body), 'bound of op a is "gpu"', 'it is one of "cpu"');
});

test("what else is not built yet", () => {
  expectRefusal(
    () => make("a", { onResume: "ephemeral", effect: "unsafe" }, function* () {}),
    'op a is unsafe, and onResume: "ephemeral" begins it again after a crash',
    "declare what it does as idempotent, or leave onResume out: then the run asks what became of it",
  );
  for (const onResume of ["verify", "cursor", "fail"])
    expect(() => make("a", { onResume }, function* () {}), onResume).not.toThrow();
});

test("a call of a graph takes timeout.total only; 0 is none, and changes nothing of the plan", () => {
  expectRefusal(
    callGraph({ timeout: { run: 1 } }),
    "timeout.run of graph inner is set, but a graph call takes none",
    "set it on the ops inside; timeout.total of a graph call limits all of it",
  );
  expectRefusal(
    callGraph({ timeout: { idle: "1s", total: "2s" } }),
    "timeout.idle of graph inner is set, but a graph call takes none",
    "set it on the ops inside; timeout.total of a graph call limits all of it",
  );
  expectRefusal(
    callGraph({ timeout: { totl: 1 } }),
    'timeout of graph inner has no option "totl"',
    'did you mean "total"? it takes run, idle, total',
  );
  expectRefusal(
    callGraph({ timeout: 5 }),
    "the options of timeout of graph inner are number",
    "options are a record: { run, idle, total }",
  );
  expectRefusal(
    callGraph({ timeout: null }),
    "the options of timeout of graph inner are null",
    "options are a record: { run, idle, total }",
  );
  expect(refusal(callGraph({ timeout: { total: "soon" } })).code).toBe("InvalidDuration");
  const without = plan(callGraph({})()).fingerprint;
  expect(plan(callGraph({ timeout: { total: 0 } })()).fingerprint).toBe(without);
  expect(plan(callGraph({ timeout: {} })()).fingerprint).toBe(without);
  const bounded = plan(callGraph({ timeout: { total: "5m" } })());
  expect(bounded.fingerprint).not.toBe(without);
  expect(named(bounded, "inner").block).toMatchObject({ timeout: 300_000 });
  // How long is a policy: a run goes on under another limit.
  expect(plan(callGraph({ timeout: { total: "1h" } })()).fingerprint).toBe(bounded.fingerprint);
});

test.each(["parallel", "buffer", "ordered", "onFull"])("%s on a call that runs once is refused", (key) => {
  const value = key === "ordered" ? true : key === "onFull" ? "wait" : 2;
  const fix = "leave it out, or make the call per item: wrap a list in each()";
  expectRefusal(call({ [key]: value }, false), `${key} of op one is set, but the call runs once`, fix);
  if (key === "parallel" || key === "buffer")
    expectRefusal(callGraph({ [key]: value }, false), `${key} of graph inner is set, but the call runs once`, fix);
});

test.each([
  [{ parallel: 0 }, "parallel of op one is 0", "it is a whole number, 1 or more"],
  [{ buffer: "8" }, "buffer of op one is 8", "it is a whole number, 1 or more"],
  [{ ordered: "yes" }, 'ordered of op one is "yes"', "it is true or false"],
  [{ onFull: "drop" }, 'onFull of op one is "drop"', 'it is one of "wait", "dropOldest"'],
  [
    { paralel: 2 },
    'op one has no option "paralel"',
    'did you mean "parallel"? it takes name, after, parallel, buffer, ordered, onFull, retry, timeout, onFailure, cache, bind',
  ],
])("call options %j are refused", (options, message, hint) => {
  expectRefusal(call(options, true), message, hint);
});

test.each(["retry", "ordered", "onFull", "onFailure", "cache"])("%s on a graph call is refused", (key) => {
  expectRefusal(
    callGraph({ [key]: {} }),
    `${key} of graph inner is set, but a graph call takes none`,
    "set it on the ops inside; a graph call takes name, after, parallel, buffer, timeout, bind",
  );
});

test("unknown options of graph calls, each, collect and reduce name the nearest", () => {
  expectRefusal(
    callGraph({ nam: "x" }),
    'graph inner has no option "nam"',
    'did you mean "name"? it takes name, after, parallel, buffer, timeout, bind',
  );
  expectRefusal(
    () => graph("g", (input: Input) => untyped(each)(input.xs, { nam: "x" })),
    'each() has no option "nam"',
    'did you mean "name"? it takes name',
  );
  expectRefusal(
    () => graph("g", (input: Input) => untyped(collect)(each(input.xs), { error: "skip" })),
    'collect() has no option "error"',
    'did you mean "errors"? it takes errors',
  );
  expectRefusal(
    () => graph("g", (input: Input) => untyped(collect)(each(input.xs), { errors: "drop" })),
    'errors of collect() is "drop"',
    'it is one of "fail", "skip", "settle"',
  );
});

test("the smallest buffer of a stream's consumers counts, and they must agree about onFull", () => {
  const built = plan(
    graph("g", (input: Input) => {
      const x = each(input.xs);
      one({ x }, { name: "a", buffer: 16, onFull: "dropOldest" });
      one({ x }, { name: "b", buffer: 4 });
      one({ x: each(input.xs, { name: "other" }) }, { name: "c", buffer: 5000, ordered: true });
      return {};
    }),
  );
  expect(built.streams.map(({ buffer, onFull }) => [buffer, onFull])).toEqual([
    [4, "dropOldest"],
    [5000, "wait"],
  ]);
  expect([named(built, "a").ordered, named(built, "c").ordered]).toEqual([false, true]);
  expectRefusal(
    () =>
      graph("g", (input: Input) => {
        const x = each(input.xs);
        one({ x }, { name: "a", onFull: "dropOldest" });
        return one({ x }, { name: "b", onFull: "wait" });
      }),
    'onFull of op b is "wait", but another consumer of input.xs says "dropOldest"',
    "a stream does one or the other when it is full",
  );
});

test("needs and bind are checked when the graph is built", () => {
  const Chat = resource<number>("chat");
  const Big = resource<number>("big");
  const needy = op("needy", { needs: { n: Chat } }, async (_i: { x: string }, ctx) => ({ n: ctx.resources.n }));
  const around = graph("around", (input: Ref<{ x: string }>) => needy({ x: input.x }).n);
  const calls = (callee: unknown, options: unknown) => () =>
    graph("g", (input: Ref<{ x: string }>) => untyped(callee)({ x: input.x }, options));
  expectRefusal(
    () => make("a", { needs: Chat.name }, body),
    "needs of op a is not a record",
    "write needs: { key: Token }",
  );
  expectRefusal(
    () => make("a", { needs: { model: {} } }, body),
    "needs.model of op a is not a resource",
    'give a token: const Chat = resource<Model>("chat")',
  );
  expectRefusal(
    () => untyped(Chat.to)({}),
    "chat is bound to something that is not a resource",
    "bind one token to another: Chat.to(Big)",
  );
  for (const [callee, name] of [
    [needy, "op needy"],
    [around, "graph around"],
  ] as const) {
    expectRefusal(calls(callee, { bind: Chat }), `bind of ${name} is not a list`, "write bind: [Chat.to(Big)]");
    expectRefusal(
      calls(callee, { bind: [Chat] }),
      `bind of ${name} holds something that is not a binding`,
      "write bind: [Chat.to(Big)]",
    );
    expectRefusal(
      calls(callee, { bind: [Chat.to(Big), Chat.to(Big)] }),
      `bind of ${name} binds resource chat twice`,
      "name each resource once per call",
    );
    expectRefusal(
      calls(callee, { bind: [Big.to(Chat)] }),
      `bind of ${name} binds resource big, which nothing inside needs`,
      "leave it out, or bind the resource that the ops inside end up with",
    );
  }
});
