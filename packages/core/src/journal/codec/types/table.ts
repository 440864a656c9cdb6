// Every tag there is. A new type of value is a file here and a line below; a tag, once released, stays for ever.

import type { ValueType } from "../contract.ts";
import { sparseType } from "./array.ts";
import { binaryTypes } from "./binary.ts";
import { mapType, setType } from "./collections.ts";
import { dateType } from "./date.ts";
import { errorType } from "./error.ts";
import { nullPrototypeType, taggedLookalikeType } from "./object.ts";
import { bigintType, numberType, undefinedType } from "./primitives.ts";
import { regexpType } from "./regexp.ts";
import { registeredType } from "./registered.ts";
import { secretRefType } from "./secret-ref.ts";
import { urlType } from "./url.ts";

const ALL: readonly ValueType[] = [
  undefinedType,
  numberType,
  bigintType,
  dateType,
  mapType,
  setType,
  urlType,
  regexpType,
  errorType,
  ...binaryTypes,
  sparseType,
  nullPrototypeType,
  taggedLookalikeType,
  registeredType,
  secretRefType,
];

export const BY_TAG: ReadonlyMap<unknown, ValueType> = new Map(ALL.map((type) => [type.tag, type]));

export const BY_PROTOTYPE: ReadonlyMap<object, ValueType> = new Map(
  ALL.flatMap((type) => (type.prototype === undefined ? [] : [[type.prototype, type] as const])),
);
