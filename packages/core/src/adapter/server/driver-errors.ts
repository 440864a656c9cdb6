/** What clients of servers throw: errors with a code of Node or of their own, alone or, of several addresses, together. */

/** Of a host that is not there, refuses, or goes away. */
const networkCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

export interface DriverError {
  readonly message: string;
  /** Where it is a text. */
  readonly code: string | undefined;
  /** Where it is a number. */
  readonly errno: number | undefined;
  /** Node itself says that there is no connection. */
  readonly isNetwork: boolean;
}

export function readDriverError(error: unknown): DriverError {
  if (error instanceof AggregateError) return readDriverError(error.errors[0]);
  if (!(error instanceof Error)) {
    return { message: String(error), code: undefined, errno: undefined, isNetwork: false };
  }
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown };
  return {
    message: error.message,
    code: typeof code === "string" ? code : undefined,
    errno: typeof errno === "number" ? errno : undefined,
    isNetwork: typeof code === "string" && networkCodes.has(code),
  };
}
