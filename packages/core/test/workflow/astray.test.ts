/** Calls from places where a body may not call, and failures that nobody looks at for a while: the process goes on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memory, op, workflow, type RunResult, type Workflow } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

type Listener = NodeJS.UnhandledRejectionListener;
const YIELDING = Symbol.for("millrace.yielding");

/** What would have ended the process. */
let ended: unknown[] = [];
let others: Listener[] = [];
const note = (error: unknown): void => void ended.push(error);

// The test runner takes every rejection for its own.
beforeAll(() => {
  others = process.listeners("unhandledRejection").filter((listener) => !(YIELDING in listener));
  for (const listener of others) process.removeListener("unhandledRejection", listener);
  process.on("uncaughtExceptionMonitor", note);
});
afterAll(() => {
  for (const listener of others) process.on("unhandledRejection", listener);
  process.removeListener("uncaughtExceptionMonitor", note);
});

/** As JavaScript has it. */
type Loose = Readonly<Record<"run" | "interrupt" | "sleep" | "all", (...given: unknown[]) => Promise<unknown>>>;

const double = op("double", async ({ n }: { n: number }) => ({ n: n * 2 }));
const boom = op("boom", async (_input: {}): Promise<{ n: number }> => {
  throw Object.assign(new Error("declined"), { code: "Declined" });
});
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
};
const later = (count: number, act: () => void): void =>
  void setImmediate(() => (count > 1 ? later(count - 1, act) : act()));
/** Long enough for whatever else goes on to be told. */
const slow = op("slow", async (_input: {}) => {
  await turns(12);
  return {};
});

async function resultOf(flow: Workflow<{}, unknown>, warn?: (text: string) => void): Promise<RunResult<unknown>> {
  ended = [];
  const engine = await open({ backend: memory(), ...(warn !== undefined && { warn }) });
  const result = await (await engine.start(flow, {})).result();
  await turns(4);
  expect(ended).toEqual([]);
  return result;
}

describe("a call from elsewhere fails the run, and not the process", () => {
  const ELSEWHERE = { status: "failed", errors: [{ code: "WorkflowCallElsewhere" }] };

  test("from a timer", async () => {
    const flow = workflow("flow", { uses: [double, slow], emits: ["news"] }, async (w, _input: {}) => {
      later(4, () => void w.run(double, { n: 1 }));
      return w.run(slow, {});
    });
    expect(await resultOf(flow)).toMatchObject(ELSEWHERE);
  });

  test("an emission from a timer", async () => {
    const flow = workflow("flow", { uses: [slow], emits: ["news"] }, async (w, _input: {}) => {
      later(4, () => w.emit("news", 1));
      return w.run(slow, {});
    });
    expect(await resultOf(flow)).toMatchObject(ELSEWHERE);
  });

  test("from a function that nobody awaits", async () => {
    const flow = workflow("flow", { uses: [double, slow] }, async (w, _input: {}) => {
      const detached = async (): Promise<void> => {
        await turns(3);
        await w.run(double, { n: 1 });
      };
      void detached();
      return w.run(slow, {});
    });
    expect(await resultOf(flow)).toMatchObject(ELSEWHERE);
  });

  test("whoever catches it there", async () => {
    const flow = workflow("flow", { uses: [double, slow] }, async (w, _input: {}) => {
      const other = w.run(slow, {});
      await turns(3);
      try {
        await w.run(double, { n: 1 });
      } catch {}
      await other;
      return "looks fine";
    });
    expect(await resultOf(flow)).toMatchObject(ELSEWHERE);
  });

  test("a call after the end is lost, with a warning", async () => {
    const codes: unknown[] = [];
    const warned: string[] = [];
    const flow = workflow("flow", { uses: [double], emits: ["news"] }, async (w, _input: {}) => {
      const late = async (): Promise<void> => {
        await turns(6);
        w.emit("news", 1);
        await w.run(double, { n: 1 }).catch((error: { code: string }) => codes.push(error.code));
        await w.run(double, { n: 1 });
      };
      void late();
      return "done";
    });
    const result = await resultOf(flow, (text) => warned.push(text.split("\n")[0]!));
    expect(result).toMatchObject({ status: "completed", output: "done" });
    await turns(8);
    expect([codes, ended]).toEqual([["WorkflowCallElsewhere"], []]);
    expect(warned).toEqual([
      expect.stringMatching(/^millrace: run .*: workflow "flow" called "news" after it was over$/u),
    ]);
  });
});

describe("a call that is refused rejects, and throws nowhere", () => {
  test.each([
    ["UndeclaredCall", (w: Loose) => w.run(boom, {})],
    ["UndeclaredCall", (w: Loose) => w.run(undefined, {})],
    ["UndeclaredCall", (w: Loose) => w.interrupt("no")],
    ["InvalidDuration", (w: Loose) => w.sleep("soon")],
    ["BuildError", (w: Loose) => w.run(double, { n: 1 }, { name: 3 })],
    ["BuildError", (w: Loose) => w.all(new Set([() => w.run(double, { n: 1 })]))],
    ["BuildError", (w: Loose) => w.all([1])],
    ["Unencodable", (w: Loose) => w.run(double, { n: () => 1 })],
  ] as const)("%s", async (code, call) => {
    let sync = false;
    const flow = workflow("flow", { uses: [double, slow] }, async (w, _input: {}) => {
      try {
        const promise = call(w as never);
        return await promise.catch((error: { code: string }) => error.code);
      } catch {
        sync = true;
        return "thrown";
      }
    });
    const { output } = (await resultOf(flow)) as { output?: unknown };
    expect([output, sync]).toEqual([code, false]);
  });

  test("and one that nobody looks at fails the run", async () => {
    const flow = workflow("flow", { uses: [double] }, async (w, _input: {}) => {
      void w.run(boom as never, {} as never);
      return w.run(double, { n: 1 });
    });
    expect(await resultOf(flow)).toMatchObject({ status: "failed", errors: [{ code: "UnawaitedCall" }] });
  });

  test.each([Number.NaN, "x", {}, 0, 1.5, null])("so many at a time as %s", async (concurrency) => {
    const flow = workflow("flow", { uses: [double] }, (w, _input: {}) =>
      w.all([() => w.run(double, { n: 1 })], { concurrency: concurrency as number }),
    );
    expect(await resultOf(flow)).toMatchObject({ status: "failed", errors: [{ code: "BuildError" }] });
  });
});

describe("a failure that nobody looks at yet", () => {
  test("is there when the body looks later", async () => {
    const flow = workflow("flow", { uses: [boom, slow] }, async (w, _input: {}) => {
      const job = (async () => w.run(boom, {}))();
      await w.run(slow, {});
      return job.catch((error: { code: string }) => error.code);
    });
    expect(await resultOf(flow)).toMatchObject({ status: "completed", output: "Declined" });
  });

  test("fails the run when the body returns without having looked", async () => {
    const flow = workflow("flow", { uses: [boom, slow] }, async (w, _input: {}) => {
      void (async () => w.run(boom, {}))();
      await w.run(slow, {});
      return "done";
    });
    const { status, errors } = await resultOf(flow);
    expect([status, errors.at(-1)?.code, errors.at(-1)?.message.split("\n")[0]]).toEqual([
      "failed",
      "UnawaitedCall",
      'workflow "flow" returned, and nobody had looked at the failure of "boom"',
    ]);
  });

  test("what is no call's failure ends the process as ever", async () => {
    await resultOf(workflow("flow", { uses: [boom] }, async (w, _input: {}) => w.run(boom, {}).catch(() => "seen")));
    const [listener] = process.listeners("unhandledRejection");
    const other = new Error("of somebody else");
    expect(() => listener?.(other, Promise.resolve())).toThrow(other);
  });
});

describe("what a body is told", () => {
  const listed = op("listed", function* (_input: {}) {
    yield { i: 1 };
    yield { i: 2 };
  });
  let cache = { list: [1], data: { tries: 1 } };
  const shared = op("shared", async (_input: {}) => cache);
  const blamed = op("blamed", async (_input: {}): Promise<{}> => {
    throw Object.assign(new Error("no"), { data: cache.data });
  });
  const flow = workflow("flow", { uses: [listed, shared, blamed] }, async (w, input: { tags: string[] }) => {
    const seen: string[] = [];
    const change = (what: string, list: unknown[]): void => {
      try {
        list.push("mine");
        seen.push(`${what} ${list.length}`);
      } catch {
        seen.push(`${what} frozen`);
      }
    };
    change("input", input.tags);
    change("stream", await w.run(listed, {}));
    change("output", (await w.run(shared, {})).list);
    const { data } = (await w.run(blamed, {}).catch((error: { data: { tries: number } }) => error)) as {
      data: { tries: number };
    };
    seen.push(String(Object.isFrozen(data)), String(data === cache.data));
    return seen;
  });

  test("is frozen where there is a journal", async () => {
    const engine = await open({ backend: memory() });
    expect(await engine.run(flow, { tags: [] })).toEqual([
      "input frozen",
      "stream frozen",
      "output frozen",
      "true",
      "false",
    ]);
  });

  test("is a copy where there is none", async () => {
    const engine = await open();
    const input = { tags: [] };
    cache = { list: [1], data: { tries: 1 } };
    expect(await engine.run(flow, input)).toEqual(["input 1", "stream 3", "output 2", "false", "false"]);
    expect([input, cache]).toEqual([{ tags: [] }, { list: [1], data: { tries: 1 } }]);
  });
});

test("parts of `w` may be taken out of it, and an op may have any name", async () => {
  const proto = op("__proto__", async ({ n }: { n: number }) => ({ n: n + 1 }));
  // oxlint-disable-next-line typescript/unbound-method -- this is what it is about
  const flow = workflow("flow", { uses: [proto] }, async ({ run, all, uuid }, _input: {}) => [
    ...(await all([() => run(proto, { n: 1 })])),
    uuid().length,
  ]);
  const engine = await open({ backend: memory() });
  expect(await engine.run(flow, {})).toEqual([{ n: 2 }, 36]);
});
