import type { Expression } from "../format/expression.ts";
import { isRecord, type Json } from "../format/json.ts";

/** What expressions read: the task's state, and the names bound so far. */
export interface Bindings {
  readonly state: Readonly<Record<string, unknown>>;
  readonly names: Readonly<Record<string, Json>>;
}

type Operator = Exclude<Extract<Expression, object>, never>;

export function evaluate(expression: Expression, bindings: Bindings): Json {
  if (typeof expression !== "object" || expression === null) return expression;
  return operate(expression, (part) => evaluate(part, bindings), bindings);
}

function operate(operator: Operator, of: (part: Expression) => Json, { state, names }: Bindings): Json {
  if ("get" in operator) return lookUp(state, operator.get);
  if ("use" in operator) return lookUp(names, operator.use);
  if ("list" in operator) return operator.list.map(of);
  if ("record" in operator) return mapRecord(operator.record, of);
  if ("text" in operator) return operator.text.map((part) => asText(of(part))).join("");
  if ("equal" in operator) return JSON.stringify(of(operator.equal[0])) === JSON.stringify(of(operator.equal[1]));
  if ("not" in operator) return of(operator.not) !== true;
  return count(operator, of);
}

type Counting = Extract<
  Operator,
  { sum: unknown } | { product: unknown } | { length: unknown } | { total: unknown } | { less: unknown }
>;

function count(operator: Counting, of: (part: Expression) => Json): Json {
  if ("sum" in operator) return operator.sum.reduce<number>((sum, part) => sum + Number(of(part)), 0);
  if ("product" in operator) return operator.product.reduce<number>((product, part) => product * Number(of(part)), 1);
  if ("less" in operator) return Number(of(operator.less[0])) < Number(of(operator.less[1]));
  if ("length" in operator) return (of(operator.length) as string | readonly Json[]).length;
  const list = of(operator.total) as readonly Json[];
  return list.reduce<number>((sum, element) => sum + Number(operator.of ? lookUp(element, operator.of) : element), 0);
}

export function mapRecord<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function lookUp(from: unknown, path: string): Json {
  let value: unknown = from;
  for (const key of path.split(".")) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return (value ?? null) as Json;
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
