import { MillraceError } from "./error.ts";

/** What is kept of an error: data only, and the same bytes on replay. */
export interface ErrorData {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly data: unknown;
}

/** Total, whatever was thrown. */
export function describeError(error: unknown): ErrorData {
  try {
    return error instanceof Error
      ? describe(error)
      : { code: "Thrown", type: typeof error, message: textOf(error), data: undefined };
  } catch {
    return { code: "Thrown", type: "unreadable", message: "what was thrown cannot be read", data: undefined };
  }
}

function describe(error: Error): ErrorData {
  const { code, data, message, name } = error as { code?: unknown; data?: unknown; message: unknown; name: unknown };
  const own = typeof code === "string" || typeof code === "number" ? String(code) : "Failed";
  return {
    code: own,
    type: error instanceof MillraceError ? error.code : textOf(name),
    message: textOf(message),
    data,
  };
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
