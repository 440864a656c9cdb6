import { describe, expect, test } from "vitest";
import { z } from "zod";
import { memory, op, workflow, type RunResult, type Workflow } from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

const double = op("double", async ({ n }: { n: number }) => ({ n: n * 2 }));
const Yes = z.object({ yes: z.boolean() });

async function resultOf(flow: Workflow<{}, unknown>): Promise<RunResult<unknown>> {
  const engine = await open();
  return (await engine.start(flow, {})).result();
}

async function failure(flow: Workflow<{}, unknown>): Promise<unknown> {
  const { status, errors } = await resultOf(flow);
  const last = errors.at(-1);
  return { status, code: last?.code, message: last?.message.split("\n")[0] };
}

describe("what a body may not do", () => {
  test("call what is not declared", async () => {
    const other = op("other", ({ n }: { n: number }) => ({ n }));
    const flow = workflow("flow", { uses: [double] }, (w, _input: {}) => w.run(other, { n: 1 }));
    expect(await failure(flow)).toEqual({
      status: "failed",
      code: "UndeclaredCall",
      message: 'workflow "flow" called "other", which it does not declare',
    });
  });

  test("call itself", async () => {
    const self: { flow?: Workflow<{}, unknown> } = {};
    self.flow = workflow("flow", { uses: [double] }, (w, _input: {}) => w.run(self.flow as never, {} as never));
    expect(await failure(self.flow)).toMatchObject({
      code: "UndeclaredCall",
      message: 'workflow "flow" called itself',
    });
  });

  test("ask or emit what is not declared", async () => {
    const asks = workflow("flow", { asks: { ok: { answer: Yes } } }, (w, _input: {}) => w.interrupt("no" as "ok"));
    expect(await failure(asks)).toMatchObject({
      code: "UndeclaredCall",
      message: 'workflow "flow" asked "no", which it does not declare',
    });
    const emits = workflow("flow", { emits: ["news"] }, async (w, _input: {}) => w.emit("no" as "news", 1));
    expect(await failure(emits)).toMatchObject({
      code: "UndeclaredCall",
      message: 'workflow "flow" emitted "no", which it does not declare',
    });
  });

  test("return without having awaited a call", async () => {
    const flow = workflow("flow", { uses: [double] }, async (w, _input: {}) => {
      // oxlint-disable-next-line typescript/no-floating-promises -- this is what it is about
      w.run(double, { n: 1 });
      return "done";
    });
    expect(await failure(flow)).toEqual({
      status: "failed",
      code: "UnawaitedCall",
      message: 'workflow "flow" returned, and nobody had awaited "double"',
    });
  });

  test("call anything when it is over", async () => {
    const late: { call?: () => Promise<unknown> } = {};
    const flow = workflow("flow", { uses: [double] }, async (w, _input: {}) => {
      late.call = async () => w.run(double, { n: 1 });
      return "done";
    });
    expect(await resultOf(flow)).toMatchObject({ status: "completed" });
    await expect(late.call?.()).rejects.toMatchObject({ code: "WorkflowCallElsewhere" });
  });

  test("call anything because of something that is no call, while calls are open", async () => {
    const begun = gate();
    let waits = false;
    const slow = op("slow", async () => {
      waits = true;
      begun.open();
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      return {};
    });
    const flow = workflow("flow", { uses: [double, slow] }, async (w, _input: {}) => {
      const elsewhere = async (): Promise<unknown> => {
        await begun.opened;
        await new Promise((resolve) => setImmediate(resolve));
        return w.run(double, { n: 1 });
      };
      return Promise.all([w.run(slow, {}), elsewhere()]);
    });
    expect(await failure(flow)).toEqual({
      status: "failed",
      code: "WorkflowCallElsewhere",
      message: 'workflow "flow" called "double" while it waited for its calls',
    });
    expect(waits).toBe(true);
  });

  test("but with no call open it may wait for something of its own", async () => {
    const flow = workflow("flow", { uses: [double] }, async (w, _input: {}) => {
      await eventually("a turn has passed", () => true);
      await new Promise((resolve) => setImmediate(resolve));
      return w.run(double, { n: 1 });
    });
    expect(await resultOf(flow)).toMatchObject({ status: "completed", output: { n: 2 } });
  });

  test("run so many at a time as is no number", async () => {
    const flow = workflow("flow", { uses: [double] }, (w, _input: {}) =>
      w.all([() => w.run(double, { n: 1 })], { concurrency: Number.NaN }),
    );
    expect(await failure(flow)).toMatchObject({ code: "BuildError", message: "concurrency of w.all is NaN" });
    const none = workflow("flow", {}, (w, _input: {}) => w.all([]));
    expect(await resultOf(none)).toMatchObject({ status: "completed", output: [] });
  });

  test("a synchronous throw, and a return value that cannot be recorded, fail it", async () => {
    const throws = workflow("flow", {}, (_w, _input: {}): Promise<number> => {
      throw new RangeError("at once");
    });
    expect(await failure(throws)).toMatchObject({ status: "failed", code: "Failed", message: "at once" });
    const returns = workflow("flow", {}, async (_w, _input: {}) => ({ give: () => 1 }));
    const engine = await open({ backend: memory() });
    const result = await (await engine.start(returns, {})).result();
    expect(result).toMatchObject({ status: "failed", errors: [{ code: "Unencodable" }] });
  });
});

describe("what cannot be declared", () => {
  const body = async (): Promise<void> => undefined;

  test.each([
    ["no body", () => workflow("flow", {}, undefined as never), "workflow flow has no body"],
    ["a bad name", () => workflow("no name", {}, body), '"no name" cannot name a workflow'],
    [
      "a key that nobody reads",
      () => workflow("flow", { use: [] } as never, body),
      'workflow flow has no option "use"',
    ],
    [
      "something that cannot be called",
      () => workflow("flow", { uses: [{}] as never }, body),
      "neither an op nor a graph",
    ],
    [
      "an op that is not made yet",
      () => workflow("flow", { uses: { later: undefined as never } }, body),
      "uses as later is neither",
    ],
    [
      "two of one name",
      () => workflow("flow", { uses: [double, op("double", () => ({}))] as never }, body),
      '"double" is used twice',
    ],
    ["one twice", () => workflow("flow", { uses: { a: double, b: double } as never }, body), "uses something twice"],
    [
      "a question like an op",
      () => workflow("flow", { uses: [double], asks: { double: { answer: Yes } } }, body),
      '"double" is used twice',
    ],
    [
      "a name that every workflow has",
      () => workflow("flow", { uses: { body: double } }, body),
      '"body" is used twice',
    ],
    [
      "a question without an answer",
      () => workflow("flow", { asks: { ok: {} as never } }, body),
      "does not say what an answer is",
    ],
    ["an emission that is no name", () => workflow("flow", { emits: ["no name"] }, body), '"no name" cannot name'],
    [
      "a version that is no text",
      () => workflow("flow", { version: 2 as never }, body),
      "version of workflow flow is not a string",
    ],
    ["uses that are no list", () => workflow("flow", { uses: 3 as never }, body), "neither a list nor a record"],
  ])("%s", (_what, make, message) => {
    expect(make).toThrow(message);
  });
});
