import { describe, expect, test } from "vitest";

import type { Execution, Executor, ExecutorTask } from "../../src/index.ts";
import { workerPool } from "../../src/node/index.ts";
import { loadOps, type FoundOps } from "../../src/node/worker-pool/worker/ops.ts";
import { decode } from "../../src/journal/codec/codec.ts";
import { encodeAs } from "../../src/journal/encode-as.ts";
import { executorContract } from "../../src/testing/executor-contract.ts";

executorContract(
  { name: "worker pool", create: ({ module, concurrency }) => workerPool({ module, threads: concurrency }) },
  { describe, test },
);

/** Runs bodies where it is: as small as an executor gets, and as little able to stop one. */
class Inline implements Executor {
  readonly #module: URL;
  readonly #running = new Set<Execution>();
  #found: Promise<FoundOps> | null = null;
  #users = 0;

  constructor(module: URL) {
    this.#module = module;
  }

  open(): void {
    this.#users++;
  }

  #load(): Promise<FoundOps> {
    return (this.#found ??= loadOps([this.#module.href]));
  }

  async prepare(ops: readonly string[]): Promise<void> {
    const { byName } = await this.#load();
    const missing = ops.find((op) => !byName.has(op));
    if (missing !== undefined) throw new Error(`op ${missing} is not exported`);
  }

  run(task: ExecutorTask): Execution {
    const wanted = new AbortController();
    const aborted = new Promise<never>((_, reject) => {
      wanted.signal.addEventListener("abort", () => reject(wanted.signal.reason as Error));
    });
    const output = Promise.race([this.#perform(task, wanted.signal), aborted]);
    const execution: Execution = { output, abandon: () => wanted.abort() };
    this.#running.add(execution);
    const forget = (): void => void this.#running.delete(execution);
    output.then(forget, forget);
    return execution;
  }

  async #perform({ op, input, told, admitted, started, log }: ExecutorTask, wanted: AbortSignal): Promise<string> {
    const { byName } = await this.#load();
    await admitted();
    wanted.throwIfAborted();
    started();
    const line = (message: string, data?: unknown): void => log("warn", message, data);
    const output: unknown = await byName
      .get(op)!
      .fn(decode(input) as never, { ...told, ...told.tags, log: { warn: line } });
    return encodeAs("output", output);
  }

  async close(): Promise<void> {
    if (--this.#users > 0) return;
    for (const execution of this.#running) execution.abandon();
  }
}

const cannotStop = "a body on this thread cannot be stopped";
executorContract(
  {
    name: "inline",
    create: ({ module }) => new Inline(module),
    skip: {
      "X2 abandoning ends a body that never gives way": cannotStop,
      "X2 what runs beside an abandoned body and what comes after it is not harmed": cannotStop,
      "X4 a body that takes its worker down fails, worth another attempt, and nothing else does": "it is our process",
    },
  },
  { describe, test },
);

/** Plays the contract against an executor with a fault, and gives the titles of the cases that found it. */
async function foundBy(spoil: (executor: Executor) => Executor): Promise<string[]> {
  const cases: [title: string, play: () => Promise<void>][] = [];
  const collectCase = (title: string, play: () => Promise<void>): number => cases.push([title, play]);
  executorContract(
    {
      name: "spoilt",
      create: ({ module }) => spoil(new Inline(module)),
      skip: { "X2 abandoning ends a body that never gives way": cannotStop },
    },
    { describe: (_title, body) => body(), test: Object.assign(collectCase, { skip: () => undefined }) },
  );
  const found: string[] = [];
  for (const [title, play] of cases) {
    if (/^X2|^X4/.test(title)) continue;
    await play().catch(() => found.push(title));
  }
  return found;
}

/** With another `run`. */
const running = (executor: Executor, run: Executor["run"]): Executor => ({
  open: () => executor.open(),
  prepare: (ops) => executor.prepare(ops),
  close: () => executor.close(),
  run,
});

test.each<[fault: string, spoil: (executor: Executor) => Executor, found: RegExp]>([
  ["says at once that a body began", (e) => running(e, (task) => (task.started(), e.run(task))), /^X3 started/],
  [
    "never says that a body began",
    (e) => running(e, (task) => e.run({ ...task, started: () => undefined })),
    /^X3 started/,
  ],
  ["asks nobody whether it may begin", (e) => running(e, (task) => e.run({ ...task, admitted: () => null })), /^X5 /],
  ["drops log lines", (e) => running(e, (task) => e.run({ ...task, log: () => undefined })), /^X1 the body is told/],
  [
    "gives an output of its own",
    (e) => running(e, (task) => ({ ...e.run(task), output: Promise.resolve("{}") })),
    /^X1 an output/,
  ],
  ["prepares anything", (e) => ({ ...running(e, (task) => e.run(task)), prepare: async () => undefined }), /^ops that/],
])("the executor contract finds an executor that %s", { timeout: 60_000 }, async (_fault, spoil, expected) => {
  expect(await foundBy(spoil)).toContainEqual(expect.stringMatching(expected));
});

test("a case to skip that the executor contract does not have is refused by name", () => {
  const contract = { name: "x", create: () => workerPool({ module: "x.ts" }), skip: { "X9 nothing": "why" } };
  expect(() => executorContract(contract, { describe, test })).toThrow(/no case "X9 nothing" to skip; it has:\nops/);
});
