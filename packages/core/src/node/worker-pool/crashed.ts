import { MillraceError } from "../../base/error.ts";

/** X4: another attempt may go well, as retries that say nothing else see it. */
export class WorkerCrashed extends MillraceError {
  readonly retryable = true;

  constructor(op: string, how: string, cause: unknown) {
    super("WorkerCrashed", `the worker that ran "${op}" ended: ${how}`, {
      hint: "a body must not call process.exit, and must fit into the memory of its worker",
      cause,
    });
  }
}
