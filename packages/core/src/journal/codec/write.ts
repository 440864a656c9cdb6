// The slow path of encoding: values that are not pure JSON become a tree that is, and what cannot be kept is named.

import { errorOf, MillraceError } from "../../base/error.ts";
import { isSecret } from "../../secrets/secret.ts";
import { type Json, MAX_DEPTH, TAG_KEY, type ValueType, type Writing } from "./contract.ts";
import { type Segment, showPath } from "./path.ts";
import type { Registry } from "./registry.ts";
import { sparseType, writeDense } from "./types/array.ts";
import { builtInErrorClass, errorType } from "./types/error.ts";
import { looksTagged, nullPrototypeType, taggedLookalikeType, writeProperties } from "./types/object.ts";
import { bigintType, numberType, undefinedType } from "./types/primitives.ts";
import { registeredType } from "./types/registered.ts";
import { BY_PROTOTYPE } from "./types/table.ts";

export interface WriteOptions {
  readonly registry: Registry | undefined;
  readonly stacks: boolean;
  /** Longest text, in UTF-16 code units. */
  readonly maxLength: number;
}

/** The form that stands under the top "$t". Throws `Unencodable` naming the part that cannot be kept. */
export function writeForm(value: unknown, options: WriteOptions): Json {
  const writer = new Writer(options);
  try {
    return writer.write(value);
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    // A Proxy, or an object that only pretends to its prototype.
    throw writer.unencodable(undefined, `cannot be read: ${String(cause)}`);
  }
}

export function tooLong(maxLength: number): MillraceError {
  return errorOf("Unencodable.long", { length: maxLength });
}

/** Invariant: `open[i]` is the container reached by the first i segments of `path`. */
class Writer implements Writing {
  readonly registry: Registry | undefined;
  readonly stacks: boolean;
  readonly #maxLength: number;
  readonly #path: Segment[] = [];
  readonly #open: object[] = [];
  #left: number;

  constructor(options: WriteOptions) {
    this.registry = options.registry;
    this.stacks = options.stacks;
    this.#maxLength = options.maxLength;
    this.#left = options.maxLength;
  }

  child(segment: Segment, value: unknown): Json {
    this.#path.push(segment);
    const form = this.write(value);
    this.#path.pop();
    return form;
  }

  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw tooLong(this.#maxLength);
  }

  unencodable(segment: Segment | undefined, what: string, hint?: string): MillraceError {
    const path = segment === undefined ? this.#path : [...this.#path, segment];
    return new MillraceError("Unencodable", `${showPath(path)}: ${what}`, { hint });
  }

  write(value: unknown): Json {
    this.spend(1);
    switch (typeof value) {
      case "string":
        this.spend(value.length);
        return value;
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0) ? value : this.#tagged(numberType, value);
      case "undefined":
        return this.#tagged(undefinedType, value);
      case "bigint":
        return this.#tagged(bigintType, value);
      case "object":
        return value === null ? null : this.#container(value);
      default:
        throw this.unencodable(undefined, typeof value, "pass data; keep code and clients in ops and resources");
    }
  }

  #tagged(type: ValueType, value: unknown): Json {
    const form = type.write(value, this);
    return form === null ? { [TAG_KEY]: type.tag } : { [TAG_KEY]: type.tag, v: form };
  }

  #container(value: object): Json {
    const start = this.#open.indexOf(value);
    if (start >= 0) throw this.unencodable(undefined, `cycle back to ${showPath(this.#path.slice(0, start))}`);
    if (this.#open.length >= MAX_DEPTH) throw this.unencodable(undefined, `nested deeper than ${MAX_DEPTH} levels`);
    this.spend(2);
    this.#open.push(value);
    const form = this.#object(value);
    this.#open.pop();
    return form;
  }

  #object(value: object): Json {
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype) {
      return looksTagged(value) ? this.#tagged(taggedLookalikeType, value) : writeProperties(value, this);
    }
    if (prototype === Array.prototype && Array.isArray(value)) {
      return writeDense(value, this) ?? this.#tagged(sparseType, value);
    }
    if (prototype === null) return this.#tagged(nullPrototypeType, value);
    const type = this.#typeOf(value, prototype);
    if (type === undefined) throw isSecret(value) ? this.#secret() : this.#unknownClass(value, prototype);
    return this.#tagged(type, value);
  }

  #typeOf(value: object, prototype: object): ValueType | undefined {
    if (this.registry?.byPrototype(prototype) !== undefined) return registeredType;
    return BY_PROTOTYPE.get(prototype) ?? (builtInErrorClass(value) === undefined ? undefined : errorType);
  }

  #secret(): MillraceError {
    const hint = 'hand it to ops as a resource, or by its name: secretRef("NAME"), which ctx.secret(ref) resolves';
    return this.unencodable(undefined, "a secret, whose value is never journaled", hint);
  }

  #unknownClass(value: object, prototype: object): MillraceError {
    const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
    const name = typeof constructor === "function" && constructor.name !== "" ? constructor.name : "an unnamed class";
    const boxed = value instanceof Number || value instanceof String || value instanceof Boolean;
    const hint = boxed
      ? "unwrap it with valueOf()"
      : "pass plain data, or register the class with an encode and a decode function";
    const toJSON = typeof (value as { toJSON?: unknown }).toJSON === "function" ? " with toJSON()" : "";
    return this.unencodable(undefined, `instance of ${name}${toJSON}`, hint);
  }
}
