import { buildError } from "../base/error.ts";
import type { Source, Template } from "../model/plan.ts";
import { RUN_SCOPE, sees, type Frame } from "./builder.ts";
import { infoOf } from "./ref.ts";
import type { RefInfo } from "./ref-info.ts";
import { innerOf } from "./scopes.ts";

/** A structure of values and refs, as a template, and the scope it lives in. */
export interface Gathered {
  readonly template: Template;
  readonly scope: number;
}

/** Deeper structures are taken for cycles. */
const MAX_NESTING = 100;

/**
 * Turns what an author passed into a template. Plain records and arrays are searched for refs; parts without any become
 * one constant: a frozen copy, for all runs of the graph are given it. `what` names the call in messages.
 */
export function gather(frame: Frame, value: unknown, what: string): Gathered {
  return inScope(frame, templateOf(frame, value, what, 0), what);
}

/** The same, in the innermost scope of its sources, whatever body runs. */
export function gatherLoose(frame: Frame, value: unknown, what: string): Gathered {
  const template = templateOf(frame, value, what, 0);
  return { template, scope: innermost(frame, template, RUN_SCOPE, what) };
}

/** A read that takes an absent key for undefined: its author says what happens then, or the type of an arm knows. */
export function lenient(template: Template): Template {
  return template.type === "source" ? { type: "source", source: { ...template.source, strict: false } } : template;
}

export function inScope(frame: Frame, template: Template, what: string): Gathered {
  return { template, scope: scopeOf(frame, template, what) };
}

/** The innermost scope of the sources of a template, at least that of the body. */
function scopeOf(frame: Frame, template: Template, what: string): number {
  return innermost(frame, template, frame.scope, what);
}

function innermost(frame: Frame, template: Template, outermost: number, what: string): number {
  let scope = outermost;
  eachSource(template, (source) => {
    scope = innerOf(frame.builder, scope, frame.builder.slots[source.slot]!.scope, what);
  });
  return scope;
}

export function eachSource(template: Template, visit: (source: Source) => void): void {
  if (template.type === "source") visit(template.source);
  else if (template.type === "object") for (const value of template.values) eachSource(value, visit);
  else if (template.type === "array") for (const item of template.items) eachSource(item, visit);
}

/** Refuses a ref of another body: what leaks out of a closure has no value where it is used. */
export function checkHome(frame: Frame, info: RefInfo, what: string): void {
  if (sees(frame, info.frame)) return;
  throw buildError(
    `${info.label} belongs to ${bodyName(info.frame)} but is used by ${what} in ${bodyName(frame)}`,
    "pass it in as an input, or return it from the graph that made it",
    "ForeignRef",
  );
}

function bodyName(frame: Frame): string {
  if (frame.closure) return `the body ${frame.prefix.slice(0, -1)}`;
  return frame.parent === null
    ? `graph ${frame.graph}`
    : `graph ${frame.graph} (called as ${frame.prefix.slice(0, -1)})`;
}

function templateOf(frame: Frame, value: unknown, what: string, nesting: number): Template {
  const info = infoOf(value);
  if (info !== undefined) {
    checkHome(frame, info, what);
    return info.template;
  }
  if (typeof value !== "object" || value === null) return { type: "constant", value };
  if (nesting > MAX_NESTING)
    throw buildError(`${what} was given a structure that contains itself`, "pass data without cycles");
  if (Array.isArray(value)) return arrayTemplate(frame, value, what, nesting);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return objectTemplate(frame, value, what, nesting);
  if (isThenable(value))
    throw buildError(
      `${what} was given a promise`,
      "an op makes values that take time; pass the ref that calling it returns",
    );
  refuseHidden(value, what);
  return { type: "constant", value };
}

/** A map, a set or an instance is given to the body as it is: a ref in it would never become its value. */
function refuseHidden(value: object, what: string): void {
  if (ArrayBuffer.isView(value)) return;
  const parts: Iterable<unknown> =
    value instanceof Map ? [...value].flat() : value instanceof Set ? value : Object.values(value);
  for (const part of parts) {
    const info = infoOf(part);
    if (info === undefined) continue;
    throw buildError(
      `${what} was given ${info.label} inside a ${value.constructor?.name ?? "value"}, where it is not replaced by its value`,
      "pass it as a field of a plain object or in an array, and build the rest in the op or with derive",
    );
  }
}

/** A promise, to anyone who waits for it. Not for refs: every field of a ref is one. */
export function isThenable(value: object): value is { then(resolved: undefined, rejected: () => undefined): unknown } {
  return typeof (value as { readonly then?: unknown }).then === "function";
}

function arrayTemplate(frame: Frame, value: readonly unknown[], what: string, nesting: number): Template {
  // By index: a spread or `map` would drop or fill holes.
  const items: Template[] = [];
  for (let i = 0; i < value.length; i++) items.push(templateOf(frame, value[i], what, nesting + 1));
  if (!items.every(isConstant)) return { type: "array", items };
  const copy = value.slice();
  items.forEach((item, i) => {
    if (i in copy) copy[i] = item.value;
  });
  return { type: "constant", value: Object.freeze(copy) };
}

function objectTemplate(frame: Frame, value: object, what: string, nesting: number): Template {
  const keys = Object.keys(value);
  const values = keys.map((key) => templateOf(frame, (value as Record<string, unknown>)[key], what, nesting + 1));
  if (!values.every(isConstant)) return { type: "object", keys, values };
  const copy = Object.fromEntries(values.map((part, i) => [keys[i], part.value]));
  if (Object.getPrototypeOf(value) === null) Object.setPrototypeOf(copy, null);
  return { type: "constant", value: Object.freeze(copy) };
}

function isConstant(template: Template): template is Extract<Template, { readonly type: "constant" }> {
  return template.type === "constant";
}
