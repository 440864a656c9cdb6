/**
 * A run at rest was taken up for an answer: the answer stood in its inbox before the row said that the run went on. When that
 * write failed, or its process died, the run rested over an answer that nobody would take up, and who answered again was
 * told that somebody had.
 */
import { expect, test } from "vitest";
import {
  graph,
  interrupt,
  memory,
  openEngine,
  type Append,
  type AppendResult,
  type StandardSchemaV1,
} from "../../src/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";

const text: StandardSchemaV1<string, string> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as string }) },
};
const flow = graph("flow", () => ({ said: interrupt("ask", null, { answer: text }) }));

class Failing extends WrappedBackend {
  fails = false;

  override append(append: Append): Promise<AppendResult> {
    if (this.fails && append.status === "running") return Promise.reject(new Error("the disk is full"));
    return super.append(append);
  }
}

test("I7 H64 an answer whose run could not go on is not there: the question is open, and the next answer counts", async () => {
  const backend = new Failing(memory());
  await using engine = await openEngine({ backend, graphs: [flow], poll: "1h", warn: () => undefined });
  await (await engine.start(flow, {}, { id: "r" })).result();
  expect(await engine.get("r")).toMatchObject({ status: "interrupted" });
  backend.fails = true;
  await expect(engine.answer("r", "ask", "first")).rejects.toThrow("the disk is full");
  expect(await backend.inbox("r")).toEqual([]);
  backend.fails = false;
  const handle = await engine.answer("r", "ask", "second");
  expect(await handle.output()).toEqual({ said: "second" });
});
