// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// What a body is told, and what a library finds by itself (R22).
import { currentRun, op, type Log } from "../src/index.ts";

op("look", async (_input: object, ctx) => {
  const told: readonly string[] = [ctx.runId, ctx.graph, ctx.node, ctx.path, ctx.idempotencyKey];
  const attempt: number = ctx.attempt;
  const thread: string | undefined = ctx.thread;
  const deadline: number | undefined = ctx.deadline;
  const log: Log = ctx.log;
  // @ts-expect-error read only
  ctx.attempt = 2;
  // @ts-expect-error not a level
  ctx.log.trace("x");
  return { told, attempt, thread, deadline };
});
// @ts-expect-error outside of a run there is none
currentRun().runId;
const found: string | undefined = currentRun()?.runId;
const anything: unknown = currentRun()?.resources["db"];
