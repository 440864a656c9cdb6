import { causesOf, textOf, typeOf } from "./causes.ts";
import { userFrame } from "./user-frames.ts";

/** What is kept of an error: data only, and the same bytes on replay. */
export interface ErrorData {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly data: unknown;
  /** What was behind it, `Type: message` each, the nearest first; at most five. */
  readonly causes?: readonly string[];
  /** The first frame in the user's own files: `function (file:line:column)`. */
  readonly at?: string;
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
  const { code, data, message } = error as { code?: unknown; data?: unknown; message: unknown };
  const own = typeof code === "string" || typeof code === "number" ? String(code) : "Failed";
  return {
    code: own,
    type: typeOf(error),
    message: textOf(message),
    data,
    ...origin(error),
  };
}

/** Keys that are not there are not written either. */
function origin(error: Error): Pick<ErrorData, "causes" | "at"> {
  const causes = causesOf(error);
  const at = userFrame(error);
  return { ...(causes !== undefined && { causes }), ...(at !== undefined && { at }) };
}
