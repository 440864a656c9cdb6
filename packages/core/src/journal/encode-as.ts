import { MillraceError } from "../base/error.ts";
import { canonical, encode } from "./codec/codec.ts";

/** `encode`, with paths that begin at what the value is: `output.user.onClick: function`. */
export function encodeAs(what: string, value: unknown): string {
  return named(what, () => encode(value));
}

/** `canonical`, in the same way. */
export function canonicalAs(what: string, value: unknown): string {
  return named(what, () => canonical(value));
}

function named(what: string, write: () => string): string {
  try {
    return write();
  } catch (error) {
    throw error instanceof MillraceError ? rooted(what, error) : error;
  }
}

function rooted(what: string, error: MillraceError): MillraceError {
  const [path = ""] = error.message.split("\n  hint: ");
  const from = /^value(?=[:.[])/.test(path) ? path.slice("value".length) : path.startsWith("[") ? path : `.${path}`;
  return new MillraceError(error.code, what + from, { hint: error.hint });
}
