import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import {
  derive,
  fallback,
  graph,
  memory,
  op,
  type ErrorEntry,
  type OpError,
  type Ref,
  type Runnable,
} from "../../src/index.ts";
import { RecordKind } from "../../src/events/record.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import type { RawRecord } from "./support/journal.ts";

const here = /causes\.test\.ts:\d+:\d+\)?$/;

/** The only entry of a run of `g`. */
async function entryOf(g: Runnable<object, unknown>): Promise<ErrorEntry> {
  const engine = await open();
  const { errors } = await (await engine.start(g, {})).result();
  expect(errors).toHaveLength(1);
  return errors[0]!;
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("F27 a failed fetch says why, and at which line of the op it was called where Node knows it", async () => {
  const loading = (url: string): Runnable<object, unknown> =>
    op("load", { retry: { attempts: 1 } }, async function load() {
      const response = await fetch(url);
      return { status: response.status };
    });
  const refused = await entryOf(loading(`http://127.0.0.1:${await closedPort()}/`));
  expect(refused).toMatchObject({ type: "TypeError", message: "fetch failed" });
  expect(refused.causes?.[0]).toMatch(/^Error: connect ECONNREFUSED/);
  const entry = await entryOf(loading("http://127.0.0.1:1/"));
  expect(entry).toMatchObject({ type: "TypeError", message: "fetch failed", at: expect.stringMatching(here) });
  expect(entry.at).toMatch(/^(?:\w+\.)?load \(/);
  expect(entry.causes).toEqual(["Error: bad port"]);
});

test("F27 an error without a cause has no causes, and what Millrace itself finds wrong has no frame", async () => {
  const plain = op("plain", async (): Promise<{ n: number }> => {
    throw new RangeError("too far\n    at fake (/elsewhere/fake.ts:1:1)");
  });
  const entry = await entryOf(plain);
  expect(entry).not.toHaveProperty("causes");
  expect(entry.at).toMatch(here);
  const slow = op(
    "slow",
    { timeout: { run: 5 }, async: true },
    (): Promise<{ n: number }> => new Promise(() => undefined),
  );
  const late = await entryOf(slow);
  expect(late.code).toBe("Timeout");
  expect([late.at, late.causes]).toEqual([undefined, undefined]);
  const thrown = op("thrown", async (): Promise<{ n: number }> => {
    throw "no error at all"; // oxlint-disable-line no-throw-literal, typescript/only-throw-error
  });
  const other = await entryOf(thrown);
  expect([other.at, other.causes]).toEqual([undefined, undefined]);
});

test("F27 the chain of causes is bounded, ends where it goes round, holds anything, and cannot make a failure worse", async () => {
  const chain = (depth: number): Error =>
    depth === 0 ? new Error("root") : new Error(`level ${depth}`, { cause: chain(depth - 1) });
  const round = new Error("a", { cause: new TypeError("b") });
  (round.cause as Error).cause = round;
  const trap = new Error("trap");
  Object.defineProperty(trap, "cause", {
    get() {
      throw new Error("not to be read");
    },
  });
  const cases: [Error, readonly string[] | undefined][] = [
    [new Error("bad", { cause: new Error("root") }), ["Error: root"]],
    [chain(9), [8, 7, 6, 5, 4].map((level) => `Error: level ${level}`)],
    [round, ["TypeError: b"]],
    [trap, undefined],
    [new Error("bad", { cause: "just text" }), ["just text"]],
    [new Error("bad", { cause: { reason: 7 } }), ['{"reason":7}']],
    [new Error("bad", { cause: null }), undefined],
    [new Error("bad", { cause: new RangeError("x".repeat(9_000)) }), [`RangeError: ${"x".repeat(500)}…`]],
    [
      new Error("bad", { cause: new AggregateError([new Error("one"), new Error("two")]) }),
      ["AggregateError", "Error: one", "Error: two"],
    ],
    [
      new AggregateError(
        [1, 2, 3, 4, 5].map((n) => new Error(`mirror ${n}`)),
        "all failed",
      ),
      ["Error: mirror 1", "Error: mirror 2", "Error: mirror 3"],
    ],
  ];
  for (const [error, causes] of cases) {
    const failing = op("failing", { retry: { attempts: 1 } }, async (): Promise<{ n: number }> => {
      throw error;
    });
    const entry = await entryOf(failing);
    expect([entry.message, entry.causes]).toEqual([error.message, causes]);
  }
});

test("F27 causes and frame are in OpFailed and the handler's error, and the same after a crash behind any record", async () => {
  const broken = op("broken", async (): Promise<{ text: string }> => {
    throw new Error("bad", { cause: new Error("root") });
  });
  const report = op("report", async ({ error }: { error: OpError }): Promise<{ text: string }> => {
    throw new Error("no report", { cause: new Error(error.causes?.join() ?? "nothing") });
  });
  const inner = graph("inner", (_input: Ref<object>) => ({ text: broken({}).text }));
  const g = graph("g", (_input: Ref<object>) => {
    const { text } = fallback(
      "mend",
      () => ({ text: inner({}).text }),
      (error) => ({ text: report({ error }).text }),
    );
    return { text };
  });
  const whole = await crashEverywhere(g, {}, ({ result }, { result: undisturbed }) =>
    expect(result).toEqual(undisturbed),
  );
  expect(whole.result.errors).toMatchObject([
    { node: "mend/body/inner/broken", causes: ["Error: root"], at: expect.stringMatching(here), handled: true },
    { node: "mend/body/inner", cause: "mend/body/inner/broken" },
    { node: "mend/handler/report", causes: ["Error: Error: root"], at: expect.stringMatching(here) },
    { node: "mend", message: "no report" },
  ]);
  // The entries of a subgraph and a block leave it to the node they point at.
  for (const index of [1, 3]) {
    expect(whole.result.errors[index]).not.toHaveProperty("at");
    expect(whole.result.errors[index]).not.toHaveProperty("causes");
  }
  const engine = await open({ backend: memory() });
  const handle = await engine.start(inner, {}, { id: "run" });
  await expect(handle.output()).rejects.toMatchObject({
    code: "OpFailed",
    message: '"broken" of graph "inner" failed at inner/broken: Error: bad',
    cause: { node: "broken", causes: ["Error: root"], at: expect.stringMatching(here) },
  });
  expect((await engine.get("run"))?.errors).toMatchObject([{ causes: ["Error: root"] }]);
});

test("F27 a resumed run tells what its journal says, and reads journals that say nothing", async () => {
  const broken = op("broken", async (): Promise<{ n: number }> => {
    throw new Error("bad", { cause: new Error("root") });
  });
  const g = graph("g", (_input: Ref<object>) => ({ n: broken({}).n }));
  const { recording, result } = await undisturbed(g, {});
  const failedAt = recording.records.findIndex(([kind]) => kind === RecordKind.attemptFailed);
  const [kind, ...failed] = recording.records[failedAt]!;
  const { $t: recorded } = failed.at(-1) as { $t: Record<string, unknown> };
  const resumedWith = async (error: object): Promise<readonly ErrorEntry[]> => {
    const changed: RawRecord = [kind, ...failed.slice(0, -1), { $t: error }];
    const records = recording.records.with(failedAt, changed);
    return (await afterCrash({ ...recording, records }, failedAt + 1, g)).errors;
  };
  expect(await resumedWith(recorded)).toEqual(result.errors);
  const elsewhere = await resumedWith({ ...recorded, at: "/app/flow.ts:1:2" });
  expect(elsewhere).toMatchObject([{ at: "/app/flow.ts:1:2", causes: ["Error: root"] }]);
  const { code, type, message, data } = recorded;
  const [old] = await resumedWith({ code, type, message, data });
  expect(old).toMatchObject({ code, type, message, attempts: 1 });
  expect(Object.keys(old!)).not.toContain("at");
  expect(Object.keys(old!)).not.toContain("causes");
});

test("F27 a function of an edge that throws is found too", async () => {
  const give = op("give", async (): Promise<{ user: { name?: string } }> => ({ user: {} }));
  const g = graph("g", (_input: Ref<object>) => {
    const { user } = give({});
    return { name: derive(user, (one) => one.name!.length) };
  });
  const entry = await entryOf(g);
  expect(entry).toMatchObject({ code: "EdgeFailed", type: "TypeError", at: expect.stringMatching(here) });
});

test("F27 a transient error whose causes go round is tried again as any other", async () => {
  const round = new Error("a", { cause: new Error("b") });
  (round.cause as Error).cause = round;
  const failing = op("failing", { retry: { attempts: 2, initial: 1 } }, async (): Promise<{ n: number }> => {
    throw round;
  });
  expect(await entryOf(failing)).toMatchObject({ message: "a", attempts: 1, causes: ["Error: b"] });
});
