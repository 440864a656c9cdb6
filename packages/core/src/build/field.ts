import { buildError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import type { Source, Template } from "../model/plan.ts";
import type { Builder, Reads } from "./builder.ts";
import type { RefInfo } from "./ref-info.ts";
import type { Shape } from "./shape.ts";

export const NOTHING: Template = { type: "constant", value: undefined };

/**
 * The template of one field of what `info` stands for. With `check`, a key that its owner is known not to have is a
 * `BuildError`; where the keys are not known, an absent one gives `undefined` or, on an op's own output, fails at run
 * time (`Source.strict`).
 */
export function fieldOf(info: RefInfo, key: string, check: boolean): Template {
  const { template } = info;
  switch (template.type) {
    case "source":
      return fieldOfSource(info.frame.builder, template.source, key, check);
    case "object": {
      const at = template.keys.indexOf(key);
      if (at < 0 && check && info.kind !== "value") throw unknownKey(`the result of ${info.label}`, key, template.keys);
      return template.values[at] ?? NOTHING;
    }
    case "array":
      return key === "length"
        ? { type: "constant", value: template.items.length }
        : (template.items[index(key)] ?? NOTHING);
    case "constant":
      return { type: "constant", value: fieldOfValue(template.value, key) };
  }
}

function fieldOfSource(builder: Builder, source: Source, key: string, check: boolean): Template {
  const reads = builder.reads[source.slot] ?? null;
  if (reads !== null && check) checkKey(reads, source.path, key);
  const strict = source.path.length === 0 ? reads !== null && reads.strict : source.strict;
  return { type: "source", source: { slot: source.slot, path: [...source.path, key], strict } };
}

function checkKey(reads: Reads, path: readonly string[], key: string): void {
  let shape: Shape | null = reads.shape;
  for (const step of path) shape = shape?.field(step) ?? null;
  if (shape === null || shape.keys.includes(key)) return;
  throw unknownKey(path.length === 0 ? reads.owner : `${path.join(".")} in ${reads.owner}`, key, shape.keys);
}

function unknownKey(owner: string, key: string, keys: readonly string[]): Error {
  const near = nearest(key, keys);
  const all = keys.length === 0 ? "it has no keys" : `it has ${keys.join(", ")}`;
  return buildError(
    `${owner} has no key "${key}"`,
    near === undefined ? all : `did you mean "${near}"? ${all}`,
    "UnknownKey",
  );
}

/** Methods that every object inherits are not fields. */
function fieldOfValue(value: unknown, key: string): unknown {
  if (value === null || value === undefined) return undefined;
  const field = (value as Record<string, unknown>)[key];
  const inherited = (typeof field === "function" || key === "__proto__") && !Object.hasOwn(Object(value), key);
  return inherited ? undefined : field;
}

function index(key: string): number {
  return /^\d+$/.test(key) ? Number(key) : -1;
}
