// Built-in errors. Kept: class, message, cause, errors, and every enumerable own property (`code`, `status`, …). The
// stack is kept as text but is no part of the value: it names files and lines. What the platform hides in properties
// that are not enumerable is left out. An error of a class of one's own is like any other instance: it is registered,
// or it does not encode.

import type { Json, Reading, ValueType, Writing } from "../contract.ts";
import { corrupt } from "../corrupt.ts";
import { defineOwn, isRecord, ownValue } from "../own.ts";
import { symbolKey } from "./extras.ts";

interface ErrorClass {
  readonly name: string;
  readonly prototype: object;
  new (message?: string): Error;
}

/** Properties that the constructors make, not enumerable; in the order they are written. */
const BUILT_IN = ["message", "name", "cause", "errors", "error", "suppressed"] as const;

const CLASSES: ReadonlyMap<unknown, () => Error> = new Map<unknown, () => Error>([
  ...[Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map(
    (type) => [type.name, () => new type()] as const,
  ),
  ["AggregateError", () => new AggregateError([])],
  ...suppressedError(),
]);

const NAMES: ReadonlyMap<object, string> = new Map(
  [...CLASSES].map(([name, make]) => [Object.getPrototypeOf(make()) as object, name as string]),
);

export const errorType: ValueType = {
  tag: "Error",
  write(value, writing) {
    const error = value as Error;
    const form: { [key: string]: Json } = { class: builtInErrorClass(error)! };
    const own = writeBuiltIn(error, writing);
    const props = writeProps(error, writing);
    if (Object.keys(own).length > 0) form["own"] = own;
    if (props.length > 0) form["props"] = props;
    if (writing.stacks) writeStack(error, form, writing);
    return form;
  },
  read(form, reading) {
    if (!isRecord(form)) throw corrupt("malformed Error");
    const make = CLASSES.get(ownValue(form, "class"));
    if (make === undefined) throw corrupt("unknown class of Error");
    const error = make();
    for (const key of Reflect.ownKeys(error)) Reflect.deleteProperty(error, key);
    readBuiltIn(error, ownValue(form, "own"), reading);
    readProps(error, ownValue(form, "props"), reading);
    const stack = ownValue(form, "stack");
    if (stack !== undefined && typeof stack !== "string") throw corrupt("malformed stack");
    if (stack !== undefined) defineOwn(error, "stack", stack, false);
    return error;
  },
};

/** Name of the built-in class the error is of, exactly; undefined for anything else. */
export function builtInErrorClass(error: object): string | undefined {
  if (Object.prototype.toString.call(error) !== "[object Error]") return undefined; // only borrows the prototype
  const prototype = Object.getPrototypeOf(error) as object;
  return NAMES.get(hiddenParent(prototype) ?? prototype);
}

/**
 * Errors that Node itself throws are of a class between them and the built-in one, which nobody can name or construct,
 * and whose prototype answers with the built-in class when asked for its constructor. Those count as what they claim.
 */
function hiddenParent(prototype: object): object | undefined {
  if (Object.getOwnPropertyDescriptor(prototype, "constructor")?.get === undefined) return undefined;
  const parent = Object.getPrototypeOf(prototype) as object | null;
  return parent !== null && prototype.constructor === parent.constructor ? parent : undefined;
}

function writeBuiltIn(error: Error, writing: Writing): { [key: string]: Json } {
  const own: { [key: string]: Json } = {};
  for (const key of BUILT_IN) {
    const property = Object.getOwnPropertyDescriptor(error, key);
    if (property === undefined || property.enumerable) continue;
    if (!("value" in property)) throw writing.unencodable(key, "accessor property");
    own[key] = writing.child(key, property.value);
  }
  return own;
}

/** Pairs, not an object: the order is kept and no key is special. */
function writeProps(error: Error, writing: Writing): Json[] {
  const props: Json[] = [];
  for (const symbol of Object.getOwnPropertySymbols(error)) {
    if (Object.prototype.propertyIsEnumerable.call(error, symbol)) throw symbolKey(symbol, writing);
  }
  for (const key of Object.keys(error)) {
    if (key === "stack") continue;
    const property = Object.getOwnPropertyDescriptor(error, key)!;
    if (!("value" in property)) throw writing.unencodable(key, "accessor property");
    writing.spend(key.length);
    props.push([key, writing.child(key, property.value)]);
  }
  return props;
}

function writeStack(error: Error, form: { [key: string]: Json }, writing: Writing): void {
  const stack: unknown = error.stack;
  if (typeof stack !== "string") return;
  writing.spend(stack.length);
  form["stack"] = stack;
}

function readBuiltIn(error: Error, own: unknown, reading: Reading): void {
  if (own === undefined) return;
  if (!isRecord(own)) throw corrupt("malformed Error");
  for (const key of BUILT_IN) {
    if (Object.hasOwn(own, key)) defineOwn(error, key, reading.child(own[key]), false);
  }
}

function readProps(error: Error, props: unknown, reading: Reading): void {
  if (props === undefined) return;
  if (!Array.isArray(props)) throw corrupt("malformed Error");
  for (const pair of props) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== "string") throw corrupt("malformed Error");
    defineOwn(error, pair[0], reading.child(pair[1]), true);
  }
}

/** Not yet everywhere. */
function suppressedError(): (readonly [string, () => Error])[] {
  const type = (globalThis as unknown as { SuppressedError?: ErrorClass }).SuppressedError;
  return type === undefined ? [] : [["SuppressedError", () => new type()]];
}
