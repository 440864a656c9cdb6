import { ExitCode } from "../exit.ts";

export interface FailureOptions {
  readonly exit?: ExitCode;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Lines shown under the message as they are: an excerpt, a list of fields. */
  readonly details?: readonly string[];
}

/** A mistake on the command line or around it, which the person at the keyboard can mend. Never shown with a stack. */
export class CliFailure extends Error {
  readonly code: string;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
  readonly details: readonly string[];

  constructor(code: string, message: string, options: FailureOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "CliFailure";
    this.code = code;
    this.exit = options.exit ?? ExitCode.usage;
    this.hint = options.hint;
    this.details = options.details ?? [];
  }
}
