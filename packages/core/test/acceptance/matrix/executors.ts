import type { Execution, Executor, ExecutorTask } from "../../../src/index.ts";
import { decode, encode } from "../../../src/journal/codec/codec.ts";
import { aborted, cpu } from "./subjects.ts";

/** Tells of the bodies that were abandoned, whoever runs them. */
export function watched(inner: Executor): Executor {
  return {
    open: () => inner.open(),
    prepare: (ops) => inner.prepare(ops),
    close: () => inner.close(),
    run(task: ExecutorTask): Execution {
      const execution = inner.run(task);
      const abandon = (): void => {
        aborted.push(task.told.node);
        execution.abandon();
      };
      return { output: execution.output, abandon };
    },
  };
}

/** Runs bodies on this thread: a worker takes too long to start for a crash at every record of every cell. */
export const onThisThread: Executor = {
  open: () => undefined,
  prepare: () => Promise.resolve(),
  close: () => Promise.resolve(),
  run({ input, told, started }: ExecutorTask): Execution {
    let abandon = (): void => undefined;
    const abandoned = new Promise<never>((_resolve, reject) => (abandon = () => reject(new Error("abandoned"))));
    abandoned.catch(() => undefined);
    started();
    const signal = new AbortController().signal;
    const done = Promise.resolve(cpu.fn(decode(input) as never, { attempt: told.attempt, signal })).then((v) =>
      encode(v),
    );
    const output = Promise.race([done, abandoned]);
    output.catch(() => undefined);
    return { output, abandon: () => abandon() };
  },
};
