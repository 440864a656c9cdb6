/** Ops that workers load; and some that they must not find. */
import { writeFileSync } from "node:fs";
import { threadId } from "node:worker_threads";
import { z } from "zod";
import { callerContext, op } from "../../../src/index.ts";

const cpu = { bound: "cpu" } as const;
const once = { attempts: 3, initial: 1, jitter: "none" } as const;

/** A plain function: whoever calls it waits. */
export const fib = op("fib", cpu, ({ n }: { n: number }) => ({ value: slowFib(n), thread: threadId }));

function slowFib(n: number): number {
  return n < 2 ? n : slowFib(n - 1) + slowFib(n - 2);
}

export const spin = op("spin", { ...cpu, timeout: { run: 200 } }, (_i: { label: string }): { never: boolean } => {
  for (;;);
});
export const spinFreely = op("spinFreely", cpu, (_i: { n: number }): { never: boolean } => {
  for (;;);
});

export const echo = op("echo", cpu, async ({ value }: { value: unknown }) => ({ value }));
export const unencodable = op("unencodable", cpu, () => ({ f: () => 1 }));

class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code = "E_HTTP";
  readonly data = new Map([["tried", [1n]]]);
  readonly status: number;
  readonly headers = { "Retry-After": "7", "retry-after": "7" };

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

export const refuse = op("refuse", cpu, ({ status }: { status: number }): { never: boolean } => {
  throw new HttpError(status);
});
export const wraps = op("wraps", cpu, (): { never: boolean } => {
  const tried = [new Error("one"), new RangeError("two")];
  throw new Error("all failed", { cause: new AggregateError(tried, "no mirror", { cause: "offline" }) });
});
export const throwText = op("throwText", cpu, (): { never: boolean } => {
  // oxlint-disable-next-line typescript/only-throw-error -- anything can be thrown
  throw "only text";
});
export const throwSymbol = op("throwSymbol", cpu, (): { never: boolean } => {
  // oxlint-disable-next-line typescript/only-throw-error -- anything can be thrown
  throw Symbol("oops");
});

/** Takes its worker down in all but its last attempt. */
export const exits = op("exits", { ...cpu, retry: once }, ({ until }: { until: number }, ctx) => {
  if (ctx.attempt < until) process.exit(7);
  return { attempt: ctx.attempt };
});
export const hoards = op("hoards", cpu, () => {
  const all: number[][] = [];
  for (;;) all.push(Array.from({ length: 100_000 }, (_, i) => i));
});

export const user = callerContext("user", z.object({ user: z.string() }));
export const told = op("told", { ...cpu, context: user, timeout: { run: "1m" } }, (_i: object, ctx) => {
  ctx.log.warn("a line", { from: ctx.path });
  const { runId, graph, node, path, attempt, idempotencyKey, context, traceId, labels } = ctx;
  const left = (ctx.deadline ?? 0) - Date.now();
  const who = { runId, graph, node, path, attempt, idempotencyKey, context, traceId, labels };
  return { ...who, aborted: ctx.signal.aborted, left };
});

export const checked = op(
  "checked",
  { ...cpu, input: z.object({ n: z.coerce.number() }), output: z.object({ n: z.number().max(9) }) },
  ({ n }) => ({ n: n + 1 }),
);

/** Leaves a mark in a file when it ends. */
export const marks = op("marks", cpu, ({ file, ms }: { file: string; ms: number }) => {
  const until = Date.now() + ms;
  while (Date.now() < until);
  writeFileSync(file, "done");
  return { done: true };
});

const hidden = op("hidden", cpu, () => ({}));
export const holder = { hidden };
