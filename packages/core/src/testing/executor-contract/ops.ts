/** What executors are tried with. An executor under test finds them by name among the exports of this module. */
import { appendFileSync } from "node:fs";
import { op } from "../../build/op.ts";
import type { Runnable } from "../../model/op.ts";

const cpu = { bound: "cpu" } as const;

export const echo: Runnable<{ value: unknown }, unknown> = op("echo", cpu, ({ value }: { value: unknown }) => ({
  value,
}));

/** Says when it began, and how it was called; takes its time. */
export const takesTime: Runnable<{ ms: number }, unknown> = op(
  "takesTime",
  cpu,
  async ({ ms }: { ms: number }, ctx) => {
    const began = Date.now();
    ctx.log.warn("at work", { attempt: ctx.attempt });
    await new Promise((resolve) => setTimeout(resolve, ms));
    const { runId, graph, node, path, attempt, idempotencyKey, traceId, labels } = ctx;
    return { began, told: { runId, graph, node, path, attempt, idempotencyKey, traceId, labels } };
  },
);

class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code = "E_REFUSED";
  readonly data = { tried: 2 };
}

export const refuses: Runnable<object, unknown> = op("refuses", cpu, (): { never: boolean } => {
  throw new Refusal("no", { cause: new TypeError("because") });
});

export const throwsText: Runnable<object, unknown> = op("throwsText", cpu, (): { never: boolean } => {
  // oxlint-disable-next-line typescript/only-throw-error -- anything can be thrown
  throw "only text";
});

export const givesFunction: Runnable<object, unknown> = op("givesFunction", cpu, () => ({ f: () => 1 }));

/** Never gives way, and leaves a mark in a file every few milliseconds for as long as it is there. */
export const spins: Runnable<{ file: string }, unknown> = op(
  "spins",
  cpu,
  ({ file }: { file: string }): { never: boolean } => {
    for (let last = 0; ;) {
      if (Date.now() - last < 5) continue;
      last = Date.now();
      appendFileSync(file, ".");
    }
  },
);

/** Takes what it runs in down. */
export const exits: Runnable<object, unknown> = op("exits", cpu, (): { never: boolean } => process.exit(7));
