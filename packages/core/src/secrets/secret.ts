import { errorOf } from "../base/error.ts";
import { learn } from "./known-values.ts";

/** What stands in the place of a secret wherever texts are made. */
export const redactedMark = "[redacted]";

/**
 * A text or bytes that show as `[redacted]` however they are printed, joined, serialized or looked into. `reveal` is the
 * only way to the value.
 */
export interface Secret<T extends string | Uint8Array = string> {
  /** The value, for the call that needs it: `headers: { authorization: key.reveal() }`. Bytes are a copy. */
  reveal(): T;
  toString(): string;
  toJSON(): string;
}

const inspected = Symbol.for("nodejs.util.inspect.custom");

/** The value is a private field: no key, no descriptor, no clone and no inspection reaches it. */
class Hidden<T extends string | Uint8Array> implements Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
    learn(value);
    Object.freeze(this);
  }

  static is(value: object): value is Secret<string | Uint8Array> {
    return #value in value;
  }

  reveal(): T {
    const value = this.#value;
    // Whoever holds many secrets knows best the ones in use.
    learn(value);
    return typeof value === "string" ? value : (new Uint8Array(value) as T);
  }

  toString(): string {
    return redactedMark;
  }

  toJSON(): string {
    return redactedMark;
  }

  [Symbol.toPrimitive](): string {
    return redactedMark;
  }

  [inspected](): string {
    return redactedMark;
  }
}
Object.freeze(Hidden.prototype);

/**
 * Wraps a text or bytes. Resources, engine options, constants of a graph and closures may hold one; whatever is journaled
 * may not: an input, output, answer, cell or caller context with a secret in it fails as `Unencodable`, naming the path.
 * From then on the value is also taken out of logs, traces and error messages of this process, if it has six characters
 * or more.
 *
 * @throws MillraceError `InvalidOption` for anything else, and for an empty text: the variable it came from is not set.
 */
export function secret(value: string): Secret;
export function secret(value: Uint8Array): Secret<Uint8Array>;
export function secret(value: string | Uint8Array): Secret<string | Uint8Array> {
  if (typeof value !== "string" && !((value as unknown) instanceof Uint8Array))
    throw errorOf("InvalidOption.secret", { type: typeof value });
  if (value.length === 0) throw errorOf("InvalidOption.emptySecret", {});
  const kept = typeof value === "string" ? value : new Uint8Array(value);
  return new Hidden<string | Uint8Array>(kept);
}

export function isSecret(value: unknown): value is Secret<string | Uint8Array> {
  return typeof value === "object" && value !== null && Hidden.is(value);
}
