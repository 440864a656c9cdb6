import { messages, type BuildReason, type ErrorCode, type MessageValues } from "./messages.generated.ts";

interface ErrorOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly reason?: BuildReason | undefined;
}

/**
 * Every error that Millrace raises on purpose. `code` is stable and documented in `docs/errors.md`; `hint` says how to
 * mend the cause. Errors thrown by user code are never wrapped in this class: they are recorded as data.
 */
export class MillraceError extends Error {
  readonly code: ErrorCode;
  /** Which mistake it is, for frequent ones of a `BuildError`. */
  readonly reason: string | undefined;
  readonly hint: string | undefined;
  readonly docs: string;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(
      options.hint === undefined ? message : `${message}\n  hint: ${options.hint}`,
      "cause" in options ? { cause: options.cause } : undefined,
    );
    this.name = code.endsWith("Error") ? code : "MillraceError";
    this.code = code;
    this.reason = options.reason;
    this.hint = options.hint;
    this.docs = `docs/errors.md#${(options.reason ?? code).toLowerCase()}`;
    // A console shows what is enumerable.
    for (const key of ["reason", "hint"] as const)
      if (this[key] === undefined) Object.defineProperty(this, key, { enumerable: false });
  }
}

/** Of a message: `RunDrained`, or one of several, `RunDrained.stale`. They are written in `messages/*.md`. */
export type MessageName = keyof MessageValues;
export type ValuesOf<N extends MessageName> = { readonly [name in MessageValues[N]]: string | number };

/** The error of that message, with its text, code and hint. */
export function errorOf<N extends MessageName>(name: N, values: ValuesOf<N>, cause?: unknown): MillraceError {
  const { code, message, hint } = explain(name, values);
  return new MillraceError(code, message, cause === undefined ? { hint } : { hint, cause });
}

/** The same as data, for what is not raised but recorded or sent elsewhere. */
export function explain<N extends MessageName>(
  name: N,
  values: ValuesOf<N>,
): { readonly code: ErrorCode; readonly message: string; readonly hint: string | undefined } {
  const { text, hint } = messages[name];
  const [code] = name.split(".") as [ErrorCode];
  return { code, message: filled(text, values), hint: hint === undefined ? undefined : filled(hint, values) };
}

function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** The graph cannot be built. Thrown by `graph()` and by the calls inside its body. */
export function buildError(message: string, hint?: string, reason?: BuildReason): MillraceError {
  return new MillraceError("BuildError", message, { hint, reason });
}

/** A broken promise of the engine itself; never the user's fault. */
export function invariantBroken(id: string, detail: string): MillraceError {
  return errorOf("InvariantBroken", { id, detail });
}
