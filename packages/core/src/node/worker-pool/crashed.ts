import { explain, MillraceError } from "../../base/error.ts";

/** X4: another attempt may go well, as retries that say nothing else see it. */
export class WorkerCrashed extends MillraceError {
  readonly retryable = true;

  constructor(op: string, how: string, cause: unknown) {
    const { code, message, hint } = explain("WorkerCrashed", { op, how });
    super(code, message, { hint, cause });
  }
}
