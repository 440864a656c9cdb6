import { errorOf } from "../../base/error.ts";
import { isName } from "../../base/name.ts";

/** How instances of a class become data and back. `decode` gets what `encode` gave, itself kept exactly. */
export interface ClassCodec<T> {
  encode(instance: T): unknown;
  decode(data: unknown): T;
}

export interface RegisteredClass {
  readonly name: string;
  readonly prototype: object;
  readonly codec: ClassCodec<unknown>;
}

/**
 * Classes that may stand in journaled values, beside or instead of the built-in forms. A value is matched by its exact class, so a subclass needs its own entry;
 * data is matched by the registered name, so classes may be renamed but entries may not.
 *
 * ```ts
 * const registry = new Registry().register("Money", Money, {
 *   encode: (money) => [money.amount, money.currency],
 *   decode: (data) => Money.parse(data),
 * });
 * ```
 */
export class Registry {
  readonly #byName = new Map<string, RegisteredClass>();
  readonly #byPrototype = new Map<object, RegisteredClass>();

  /** Throws `ClassRegistration` when the name is not a name, or the name or the class is already taken. */
  register<T>(name: string, type: { readonly prototype: T & object }, codec: ClassCodec<T>): this {
    const refusal = this.#refusal(name, type.prototype);
    if (refusal !== undefined) throw errorOf("ClassRegistration", { name: JSON.stringify(name), refusal });
    const entry: RegisteredClass = { name, prototype: type.prototype, codec };
    this.#byName.set(name, entry);
    this.#byPrototype.set(type.prototype, entry);
    return this;
  }

  byName(name: string): RegisteredClass | undefined {
    return this.#byName.get(name);
  }

  byPrototype(prototype: object): RegisteredClass | undefined {
    return this.#byPrototype.get(prototype);
  }

  #refusal(name: string, prototype: object): string | undefined {
    if (prototype === Object.prototype || prototype === Array.prototype) return "plain objects and arrays are data";
    if (!isName(name)) return "the name must be a letter or _, then at most 63 of A-Z, a-z, 0-9, _ and -";
    if (this.#byName.has(name)) return "the name is taken by another class";
    const other = this.#byPrototype.get(prototype);
    return other === undefined ? undefined : `the class is registered as ${JSON.stringify(other.name)}`;
  }
}
