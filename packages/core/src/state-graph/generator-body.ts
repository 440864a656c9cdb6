/** Bodies that are generators: what they yield are events of their task, what they return are its steps. */
import type { TaskRun } from "./node-run.ts";

type Body = Iterator<unknown, unknown> | AsyncIterator<unknown, unknown>;

export function isGenerator(returned: unknown): returned is Body {
  return typeof returned === "object" && returned !== null && typeof (returned as Partial<Body>).next === "function";
}

/** Takes it to its end and gives what it returned; a promise if it is an async generator. */
export function driven(body: Body, run: TaskRun): unknown {
  return Symbol.asyncIterator in body
    ? drivenLater(body as AsyncIterator<unknown>, run)
    : drivenAtOnce(body as never, run);
}

function drivenAtOnce(body: Iterator<unknown>, run: TaskRun): unknown {
  for (let step = body.next(); ; step = body.next()) {
    if (step.done === true) return step.value;
    run.tell({ value: step.value });
  }
}

/** One that is not wanted any more is closed where it yields next, so that its `finally` runs. */
async function drivenLater(body: AsyncIterator<unknown>, run: TaskRun): Promise<unknown> {
  const { signal } = run;
  for (let step = await body.next(); ; step = await body.next()) {
    if (step.done === true) return step.value;
    if (signal.aborted) {
      await body.return?.();
      throw signal.reason;
    }
    run.tell({ value: step.value });
  }
}
