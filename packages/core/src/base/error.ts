/**
 * Every error that Millrace raises on purpose. `code` is stable and documented in `docs/errors.md`; `hint` says how to
 * mend the cause. Errors thrown by user code are never wrapped in this class: they are recorded as data.
 */
export class MillraceError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly docs: string;

  constructor(code: string, message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(
      options.hint === undefined ? message : `${message}\n  hint: ${options.hint}`,
      "cause" in options ? { cause: options.cause } : undefined,
    );
    this.name = code.endsWith("Error") ? code : "MillraceError";
    this.code = code;
    this.hint = options.hint;
    this.docs = `docs/errors.md#${code.toLowerCase()}`;
  }
}

/** The graph cannot be built. Thrown by `graph()` and by the calls inside its body. */
export function buildError(message: string, hint?: string): MillraceError {
  return new MillraceError("BuildError", message, { hint });
}

/** A broken promise of the engine itself; never the user's fault. */
export function invariantBroken(id: string, detail: string): MillraceError {
  return new MillraceError("InvariantBroken", `invariant ${id}: ${detail}`, {
    hint: "this is a bug in Millrace; please report it with the run's journal",
  });
}
