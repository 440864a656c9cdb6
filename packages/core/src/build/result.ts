import { buildError } from "../base/error.ts";
import type { Template } from "../model/plan.ts";
import { RUN_SCOPE, type Builder, type Frame } from "./builder.ts";
import { collectTo, oneSlot } from "./collectors.ts";
import { eachSource, gather, inScope, isThenable, type Gathered } from "./gather.ts";
import { infoOf } from "./ref.ts";
import { isInside } from "./scopes.ts";

/** What a body returned: one value, or a record or list whose parts may live in different scopes. */
export interface Result {
  readonly type: "whole" | "record" | "list";
  readonly keys: readonly string[];
  readonly parts: readonly Gathered[];
}

const NO_KEYS: readonly string[] = [];

export function resultOf(frame: Frame, returned: unknown, what = `the result of graph ${frame.graph}`): Result {
  const info = infoOf(returned);
  if (info !== undefined && info.kind === "streams" && info.template.type === "object") {
    const { keys, values } = info.template;
    return { type: "record", keys, parts: values.map((value) => inScope(frame, value, what)) };
  }
  if (info !== undefined || !isStructure(returned)) {
    refuseAsync(frame, returned);
    return { type: "whole", keys: NO_KEYS, parts: [gather(frame, returned, what)] };
  }
  if (Array.isArray(returned))
    return { type: "list", keys: NO_KEYS, parts: Array.from(returned, (part) => gather(frame, part, what)) };
  const keys = Object.keys(returned);
  return {
    type: "record",
    keys,
    parts: keys.map((key) => gather(frame, (returned as Record<string, unknown>)[key], what)),
  };
}

/** What a closure returned, as one template. */
export function composed(result: Result): Template {
  return compose(
    result,
    result.parts.map(({ template }) => template),
  );
}

/** The template of an output in `home`: parts that are streams are collected into arrays. */
export function collectedResult(builder: Builder, result: Result, home: number = RUN_SCOPE): Template {
  return compose(
    result,
    result.parts.map(({ template, scope }) => collectTo(builder, template, scope, home)),
  );
}

/**
 * The result as its caller sees it. Every part lives in the scope of the call or further in; one that would live
 * further out (a constant, an input passed on) is lifted into the call's scope by a `record` slot.
 */
export function callResult(frame: Frame, result: Result): { readonly template: Template; readonly streams: boolean } {
  const { builder, scope } = frame;
  const templates = result.parts.map((part) => {
    if (part.scope !== scope || livesIn(builder, part.template, scope)) return part.template;
    return {
      type: "source",
      source: { slot: oneSlot(builder, part.template, scope), path: [], strict: false },
    } as const;
  });
  return {
    template: compose(result, templates),
    streams: result.type !== "whole" && result.parts.some((part) => isInside(builder, part.scope, scope)),
  };
}

function livesIn(builder: Builder, template: Template, scope: number): boolean {
  if (scope === 0) return true;
  let found = false;
  eachSource(template, ({ slot }) => {
    if (builder.slots[slot]!.scope === scope) found = true;
  });
  return found;
}

function compose(result: Result, templates: readonly Template[]): Template {
  if (result.type === "whole") return templates[0]!;
  if (result.type === "list") return { type: "array", items: templates };
  return { type: "object", keys: result.keys, values: templates };
}

function isStructure(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function refuseAsync(frame: Frame, returned: unknown): void {
  if (typeof returned !== "object" || returned === null || !isThenable(returned)) return;
  returned.then(undefined, () => undefined); // Its rejection has nothing to say beyond the error below.
  throw asyncBody(frame.graph);
}

export function asyncBody(graph: string): Error {
  return buildError(
    `the body of graph ${graph} is async`,
    "a body wires nodes and never waits; do the waiting in ops",
    "AsyncBody",
  );
}
