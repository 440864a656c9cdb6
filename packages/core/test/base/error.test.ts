import { expect, test } from "vitest";
import { buildError, errorOf, explain } from "../../src/base/error.ts";
import { graph, op, type MillraceError, type Ref } from "../../src/index.ts";

test("a message is filled with the values of its call site, in text and hint, and nothing in a value is filled again", () => {
  const error = errorOf("ResourceMissing", { node: "{graph}", graph: "g", resource: "db", meant: "" });
  expect(error.message.split("\n  hint: ")).toEqual([
    '"{graph}" of graph "g" needs resource "db", which the engine was not given',
    'openEngine({ resources: [provide(token of "db", value or factory)] }), or bind another at the call',
  ]);
  expect(error).toMatchObject({ code: "ResourceMissing", docs: "docs/errors.md#resourcemissing" });
});

test("one code has several messages", () => {
  expect(explain("RunDrained.stale", { runId: "r" })).toEqual({
    code: "RunDrained",
    message: "run r was drained, and this handle is no longer of a live run",
    hint: "engine.cancel(runId) ends it, engine.resume(runId) continues it",
  });
  expect(errorOf("EngineClosed", {})).toMatchObject({ message: "the engine is closed", hint: undefined });
});

test("a build mistake has its reason, and the docs explain that", () => {
  const twice = op("twice", (_i: { x: number }) => ({ y: 1 }));
  const build = (): unknown =>
    graph("g", (input: Ref<{ x: number }>) => {
      twice({ x: input.x });
      return twice({ x: input.x });
    }).plan;
  let thrown: unknown;
  try {
    build();
  } catch (error) {
    thrown = error;
  }
  const { code, reason, docs } = thrown as MillraceError;
  expect([code, reason, docs]).toEqual(["BuildError", "DuplicateName", "docs/errors.md#duplicatename"]);
  expect(buildError("it is odd").docs).toBe("docs/errors.md#builderror");
});
