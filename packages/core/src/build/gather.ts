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
 * Turns what an author passed into a template. Plain records and arrays are searched for refs; parts without any stay
 * one constant, the author's own object. `what` names the call in messages.
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
  return { type: "constant", value };
}

/** A promise, to anyone who waits for it. Not for refs: every field of a ref is one. */
export function isThenable(value: object): value is { then(resolved: undefined, rejected: () => undefined): unknown } {
  return typeof (value as { readonly then?: unknown }).then === "function";
}

function arrayTemplate(frame: Frame, value: readonly unknown[], what: string, nesting: number): Template {
  let constant = true;
  const items: Template[] = [];
  // By index: a spread or `map` would drop or fill holes, and constants stay as they are anyway.
  for (let i = 0; i < value.length; i++) {
    const item = templateOf(frame, value[i], what, nesting + 1);
    if (!isItself(item, value[i])) constant = false;
    items.push(item);
  }
  return constant ? { type: "constant", value } : { type: "array", items };
}

function objectTemplate(frame: Frame, value: object, what: string, nesting: number): Template {
  let constant = true;
  const keys = Object.keys(value);
  const values: Template[] = [];
  for (const key of keys) {
    const given = (value as Record<string, unknown>)[key];
    const field = templateOf(frame, given, what, nesting + 1);
    if (!isItself(field, given)) constant = false;
    values.push(field);
  }
  return constant ? { type: "constant", value } : { type: "object", keys, values };
}

/** Whether a part is what the author wrote. A ref of a constant is not: the part to keep is the constant. */
function isItself(template: Template, given: unknown): boolean {
  return template.type === "constant" && Object.is(template.value, given);
}
