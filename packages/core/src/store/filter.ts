/** What a search's filter says, as one test of a value. The same on every backend, because it is none of theirs. */
import { errorOf } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import { canonicalAs } from "../journal/encode-as.ts";
import type { StoreFilter } from "../model/store.ts";

export type Test = (value: unknown) => boolean;

/** `has`: the value has the field. */
type FieldTest = (field: unknown, has: boolean) => boolean;

/** @throws MillraceError `InvalidStoreSearch`, `Unencodable` */
export function testOf(filter: StoreFilter): Test {
  if (!isRecord(filter)) throw errorOf("InvalidStoreSearch.filter", {});
  const fields = Object.entries(filter).map(([field, wanted]) => [field, fieldTests(field, wanted)] as const);
  return (value) => {
    const record = isRecord(value) ? value : {};
    return fields.every(([field, tests]) => {
      const has = Object.hasOwn(record, field);
      const found = has ? record[field] : undefined;
      return tests.every((test) => test(found, has));
    });
  };
}

function fieldTests(field: string, wanted: unknown): readonly FieldTest[] {
  const named = isRecord(wanted) ? Object.keys(wanted).filter((key) => key.startsWith("$")) : [];
  if (named.length === 0) return [equals(field, wanted)];
  const conditions = wanted as Readonly<Record<string, unknown>>;
  const other = Object.keys(conditions).find((key) => !key.startsWith("$"));
  if (other !== undefined)
    throw errorOf("InvalidStoreSearch.mixed", { field: JSON.stringify(field), other: JSON.stringify(other) });
  return named.map((name) => operatorOf(field, name)(field, conditions[name]));
}

function operatorOf(field: string, name: string): (field: string, wanted: unknown) => FieldTest {
  const operator = operators.get(name);
  if (operator !== undefined) return operator;
  const close = nearest(name, operators.keys());
  throw errorOf("InvalidStoreSearch.operator", {
    field: JSON.stringify(field),
    name: JSON.stringify(name),
    known: [...operators.keys()].join(", "),
    meant: close === undefined ? "" : `; did you mean "${close}"?`,
  });
}

const operators: ReadonlyMap<string, (field: string, wanted: unknown) => FieldTest> = new Map([
  ["$eq", equals],
  ["$ne", differs],
  ["$gt", ordered((order) => order > 0)],
  ["$gte", ordered((order) => order >= 0)],
  ["$lt", ordered((order) => order < 0)],
  ["$lte", ordered((order) => order <= 0)],
  ["$in", isAmong],
]);

function equals(field: string, wanted: unknown): FieldTest {
  const text = textOf(field, wanted);
  return (found, has) => has && canonicalAs("value", found) === text;
}

function differs(field: string, wanted: unknown): FieldTest {
  const equal = equals(field, wanted);
  return (found, has) => !equal(found, has);
}

function isAmong(field: string, wanted: unknown): FieldTest {
  if (!Array.isArray(wanted)) throw errorOf("InvalidStoreSearch.in", { field: JSON.stringify(field) });
  const texts = new Set(wanted.map((one) => textOf(field, one)));
  return (found, has) => has && texts.has(canonicalAs("value", found));
}

/** A field that is asked to be `undefined` is a variable that nobody filled. */
function textOf(field: string, wanted: unknown): string {
  if (wanted === undefined) throw errorOf("InvalidStoreSearch.undefined", { field: JSON.stringify(field) });
  return canonicalAs(`filter.${field}`, wanted);
}

function ordered(fits: (order: number) => boolean): (field: string, wanted: unknown) => FieldTest {
  return (field, wanted) => {
    const kind = kindOf(wanted);
    if (kind === undefined) throw errorOf("InvalidStoreSearch.order", { field: JSON.stringify(field) });
    return (found) => kindOf(found) === kind && fits(compare(found as number, wanted as number));
  };
}

/** What can be compared with its like; undefined: what has no order. */
function kindOf(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : "date";
  if (typeof value === "number") return Number.isNaN(value) ? undefined : "number";
  return typeof value === "string" || typeof value === "bigint" ? typeof value : undefined;
}

function compare(a: number, b: number): number {
  return a < b ? -1 : Number(a > b);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
