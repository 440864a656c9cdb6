import { textOf } from "../../../base/causes.ts";
import { MillraceError } from "../../../base/error.ts";
import { encodeAs } from "../../../journal/encode-as.ts";
import type { ErrorMessage, Facts } from "../protocol.ts";

const factKeys = ["status", "statusCode", "retryable"];
/** Errors behind an error, and behind those. */
const deepest = 5;
const mostErrors = 3;
const longestStack = 10_000;

/** Total, whatever was thrown. */
export function toMessage(thrown: unknown, depth = 0): ErrorMessage {
  try {
    if (thrown instanceof MillraceError) return { type: "ours", code: thrown.code, message: thrown.message };
    return thrown instanceof Error
      ? errorMessage(thrown, depth)
      : { type: "thrown", value: encodeAs("thrown", asData(thrown)) };
  } catch {
    return { type: "unreadable" };
  }
}

/** Symbols and functions cannot travel; what they are called can. */
function asData(thrown: unknown): unknown {
  return typeof thrown === "symbol" || typeof thrown === "function" ? textOf(thrown) : thrown;
}

function errorMessage(error: Error, depth: number): ErrorMessage {
  const { name, message, code, data, stack } = error as Readonly<Record<keyof Error | "code" | "data", unknown>>;
  return {
    type: "error",
    name: String(name),
    message: String(message),
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
    facts: factsOf(error as unknown as Record<string, unknown>),
    data: data === undefined ? undefined : dataOf(data),
    stack: typeof stack === "string" ? stack.slice(0, longestStack) : undefined,
    ...(depth < deepest && behind(error, depth + 1)),
  };
}

function behind(error: Error, depth: number): { cause?: ErrorMessage; errors?: ErrorMessage[] } {
  const { cause } = error;
  return {
    ...(cause !== undefined && cause !== null && { cause: toMessage(cause, depth) }),
    ...(error instanceof AggregateError && {
      errors: error.errors.slice(0, mostErrors).map((one) => toMessage(one, depth)),
    }),
  };
}

function factsOf(error: Readonly<Record<string, unknown>>): Facts {
  const facts: Record<string, string | number | boolean> = {};
  for (const key of factKeys) {
    const value = error[key];
    if (typeof value === "number" || typeof value === "boolean") facts[key] = value;
  }
  const { headers } = error;
  const after =
    headers instanceof Headers
      ? headers.get("retry-after")
      : (headers as Record<string, unknown> | undefined)?.["retry-after"];
  if (typeof after === "string" || typeof after === "number") facts["retry-after"] = after;
  return facts;
}

function dataOf(data: unknown): string {
  try {
    return encodeAs("data", data);
  } catch (error) {
    return encodeAs("data", { omitted: error instanceof Error ? error.message : String(error) });
  }
}
