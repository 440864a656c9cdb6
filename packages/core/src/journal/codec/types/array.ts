import type { Json, ValueType, Writing } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { symbolKey } from "./extras.ts";

const MAX_LENGTH = 2 ** 32 - 1;
/** Longest array that is grown by setting its length, which reserves memory for every hole. */
const RESERVED_LENGTH = 1024;

/** Elements in order, or undefined at the first hole. Anything that is not an element is refused. */
export function writeDense(array: unknown[], writing: Writing): Json[] | undefined {
  for (const symbol of Object.getOwnPropertySymbols(array)) throw symbolKey(symbol, writing);
  // Own names come in the order: indices ascending, then "length", then what was added.
  const names = Object.getOwnPropertyNames(array);
  const elements = names.indexOf("length");
  for (const name of names.slice(elements + 1)) refuseExtra(array, name, writing);
  if (elements !== array.length) return undefined;
  const forms: Json[] = [];
  for (let i = 0; i < elements; i++) forms.push(writeElement(array, i, writing));
  return forms;
}

/** An array with holes: `[length, [index, element], …]`. */
export const sparseType: ValueType = {
  tag: "sparse",
  write(value, writing) {
    const array = value as unknown[];
    const form: Json[] = [array.length];
    for (const name of Object.getOwnPropertyNames(array)) {
      if (name === "length") break;
      form.push([Number(name), writeElement(array, Number(name), writing)]);
    }
    return form;
  },
  read(form, reading) {
    if (!Array.isArray(form) || !isIndex(form[0], MAX_LENGTH + 1)) throw corrupt("malformed sparse array");
    const array = emptyArray(form[0]);
    let next = 0;
    for (const entry of form.slice(1) as unknown[]) {
      if (!Array.isArray(entry) || entry.length !== 2 || !isIndex(entry[0], array.length) || entry[0] < next) {
        throw corrupt("malformed sparse array");
      }
      array[entry[0]] = reading.child(entry[1]);
      next = entry[0] + 1;
    }
    return array;
  },
};

function writeElement(array: unknown[], index: number, writing: Writing): Json {
  const property = Object.getOwnPropertyDescriptor(array, index)!;
  if (!property.enumerable) throw writing.unencodable(index, "property that is not enumerable");
  if (!("value" in property)) throw writing.unencodable(index, "accessor property");
  return writing.child(index, property.value);
}

function refuseExtra(array: unknown[], name: string, writing: Writing): void {
  if (!Object.prototype.propertyIsEnumerable.call(array, name)) return;
  throw writing.unencodable(name, "extra property on an array");
}

function isIndex(value: unknown, below: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < below;
}

/** Only holes. A far element first, then deleted, makes the engine keep a long array as a table: memory by element. */
function emptyArray(length: number): unknown[] {
  const array: unknown[] = [];
  if (length > RESERVED_LENGTH) {
    array[length - 1] = undefined;
    Reflect.deleteProperty(array, length - 1);
  }
  array.length = length;
  return array;
}
