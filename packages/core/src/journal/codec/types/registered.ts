import type { ValueType } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import type { RegisteredClass } from "../registry.ts";
import { errorOf, type MillraceError } from "../../../base/error.ts";

/** An instance of a class in the registry: `[name, data]`. */
export const registeredType: ValueType = {
  tag: "class",
  write(value, writing) {
    const entry = writing.registry!.byPrototype(Object.getPrototypeOf(value) as object)!;
    let data: unknown;
    try {
      data = entry.codec.encode(value);
    } catch (cause) {
      throw writing.unencodable(undefined, `encode() of the registered class ${entry.name} threw ${String(cause)}`);
    }
    return [entry.name, writing.child({ kind: "data", at: entry.name }, data)];
  },
  read(form, reading) {
    if (!Array.isArray(form) || form.length !== 2 || typeof form[0] !== "string") throw corrupt("malformed instance");
    const entry = reading.registry?.byName(form[0]);
    if (entry === undefined) throw unknownClass(form[0]);
    return revive(entry, reading.child(form[1]));
  },
};

function revive(entry: RegisteredClass, data: unknown): unknown {
  let instance: unknown;
  try {
    instance = entry.codec.decode(data);
  } catch (cause) {
    throw corrupt(`decode() of the registered class ${entry.name} threw`, cause);
  }
  const isInstance =
    typeof instance === "object" && instance !== null && Object.getPrototypeOf(instance) === entry.prototype;
  if (!isInstance) throw corrupt(`decode() of the registered class ${entry.name} gave something else`);
  return instance;
}

function unknownClass(name: string): MillraceError {
  return errorOf("JournalCorrupt.class", { name: JSON.stringify(name) });
}
