// undefined, bigint, and the numbers that JSON cannot write.

import type { ValueType } from "../contract.ts";
import { corrupt } from "../corrupt.ts";

const ODD_NUMBERS: ReadonlyMap<unknown, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
  ["-0", -0],
]);
const INTEGER = /^(?:0|-?[1-9]\d*)$/;

export const undefinedType: ValueType = {
  tag: "undefined",
  write: () => null,
  read: () => undefined,
};

export const numberType: ValueType = {
  tag: "number",
  write: (value) => (value === 0 ? "-0" : String(value)),
  read(form) {
    const number = ODD_NUMBERS.get(form);
    if (number === undefined) throw corrupt("unknown number");
    return number;
  },
};

export const bigintType: ValueType = {
  tag: "bigint",
  write(value, writing) {
    const digits = String(value);
    writing.spend(digits.length);
    return digits;
  },
  read(form) {
    if (typeof form !== "string" || !INTEGER.test(form)) throw corrupt("malformed bigint");
    try {
      return BigInt(form);
    } catch (cause) {
      throw corrupt("bigint out of range", cause);
    }
  },
};
