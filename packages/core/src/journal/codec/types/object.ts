import { type Json, TAG_KEY, type Reading, type ValueType, type Writing } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { isRecord, setOwn } from "../own.ts";
import { symbolKey } from "./extras.ts";

/** A plain object that has a "$t" key of its own, which would read as a tag. */
export const taggedLookalikeType: ValueType = {
  tag: "object",
  write: (value, writing) => writeProperties(value as object, writing),
  read: (form, reading) => readProperties(form, {}, reading),
};

export const nullPrototypeType: ValueType = {
  tag: "null-prototype",
  write: (value, writing) => writeProperties(value as object, writing),
  read: (form, reading) => readProperties(form, Object.create(null) as object, reading),
};

/** Every own property, or an error for the first that is not an enumerable, string-keyed data property. */
export function writeProperties(object: object, writing: Writing): { [key: string]: Json } {
  const form: { [key: string]: Json } = {};
  // Names and symbols apart: together with Reflect.ownKeys they take several times as long.
  for (const symbol of Object.getOwnPropertySymbols(object)) throw symbolKey(symbol, writing);
  for (const key of Object.getOwnPropertyNames(object)) {
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (property === undefined || !("value" in property)) throw writing.unencodable(key, "accessor property");
    if (!property.enumerable) throw writing.unencodable(key, "property that is not enumerable");
    if (key === "toJSON" && typeof property.value === "function")
      throw writing.unencodable(undefined, "object with toJSON()");
    writing.spend(key.length + 3);
    setOwn(form, key, writing.child(key, property.value));
  }
  return form;
}

export function readProperties(form: unknown, target: object, reading: Reading): object {
  if (!isRecord(form)) throw corrupt("malformed object");
  for (const key of Object.keys(form)) setOwn(target, key, reading.child(form[key]));
  return target;
}

export function looksTagged(object: object): boolean {
  return Object.hasOwn(object, TAG_KEY);
}
