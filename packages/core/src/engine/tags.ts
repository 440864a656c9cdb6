/** What a caller marks a run with, checked before there is a run. */
import type { Labels, RunTags } from "../model/tags.ts";
import type { RunOptions } from "./api.ts";
import { objectOf, shown, wrong } from "./option-checks.ts";

const mostLabels = 16;
const longestValue = 256;
const keyPattern = /^[A-Za-z0-9_.-]{1,64}$/;
const traceIdPattern = /^[\x21-\x7e]{1,128}$/;
const example = 'for example labels: { user: "ann", session: "s-1" }';

/**
 * The run's own copy, frozen; null: there are none.
 *
 * @throws MillraceError `InvalidOption`
 */
export function tagsOf({ traceId, labels }: RunOptions): RunTags | null {
  if (traceId === undefined && labels === undefined) return null;
  if (traceId !== undefined) checkTraceId(traceId);
  const own = labels === undefined ? {} : checkLabels(labels);
  const marked = Object.keys(own).length > 0;
  return traceId === undefined && !marked ? null : { traceId: traceId ?? null, labels: marked ? own : null };
}

/**
 * A frozen copy.
 *
 * @throws MillraceError `InvalidOption`
 */
export function checkLabels(labels: Labels): Labels {
  const own: [string, unknown][] = Object.entries(objectOf("labels", labels, example));
  if (!isPlain(labels)) throw wrong("labels must be a plain object: a map or an instance has no keys to read", example);
  if (own.length > mostLabels) throw wrong(`a run has at most ${mostLabels} labels, not ${own.length}`, example);
  for (const [key, value] of own) checkLabel(key, value);
  return Object.freeze(Object.fromEntries(own) as Record<string, string>);
}

/** Also one of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function checkLabel(key: string, value: unknown): void {
  if (!keyPattern.test(key))
    throw wrong(`the key of a label is 1 to 64 letters, digits, "_", "." or "-", and ${shown(key)} is not`, example);
  if (typeof value !== "string") throw wrong(`label "${key}" must be a text, not ${shown(value)}`, example);
  if (value.length > longestValue)
    throw wrong(`label "${key}" has ${value.length} characters, and ${longestValue} is the most`);
  if (!value.isWellFormed() || value.includes("\0"))
    throw wrong(`label "${key}" is not well-formed Unicode without NUL: ${shown(value)}`);
}

function checkTraceId(traceId: unknown): void {
  if (typeof traceId === "string" && traceIdPattern.test(traceId)) return;
  throw wrong(`traceId must be 1 to 128 visible ASCII characters, and ${shown(traceId)} is not`);
}
