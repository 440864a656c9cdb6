import { MillraceError } from "../../base/error.ts";
import { decode } from "../../journal/codec/codec.ts";
import type { ErrorMessage } from "./protocol.ts";

/**
 * What a body threw in its worker, as it would have been thrown here: `name`, `message`, `code`, `data`, `stack` and causes are
 * kept.
 */
export function toThrown(message: ErrorMessage): unknown {
  switch (message.type) {
    case "ours":
      return new MillraceError(message.code, message.message);
    case "thrown":
      return decode(message.value);
    case "unreadable":
      return new Error("what was thrown cannot be read");
    case "error": {
      const { "retry-after": after, ...facts } = message.facts;
      const error = Object.assign(bare(message), facts, { name: message.name });
      if (message.stack !== undefined) error.stack = message.stack;
      if (message.code !== undefined) Object.assign(error, { code: message.code });
      if (message.data !== undefined) Object.assign(error, { data: decode(message.data) });
      if (after !== undefined) Object.assign(error, { headers: { "retry-after": after } });
      return error;
    }
  }
}

function bare({ message, cause, errors }: Extract<ErrorMessage, { type: "error" }>): Error {
  const options = cause === undefined ? undefined : { cause: toThrown(cause) };
  return errors === undefined
    ? new Error(message, options)
    : new AggregateError(errors.map(toThrown), message, options);
}
