import { buildError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import type { Template } from "../model/plan.ts";
import type { Shape } from "./shape.ts";

/** Refuses keys that the input schema of `where` does not have, and the absence of those it must have. */
export function checkInput(where: string, input: Template, shape: Shape | null): void {
  const given = shape === null ? null : keysOf(input);
  if (shape === null || given === null) return;
  for (const key of given) {
    if (shape.keys.includes(key)) continue;
    const near = nearest(key, shape.keys);
    const all = shape.keys.length === 0 ? "it takes none" : `it takes ${shape.keys.join(", ")}`;
    throw buildError(
      `${where} has no input "${key}"`,
      near === undefined ? all : `did you mean "${near}"? ${all}`,
      "UnknownKey",
    );
  }
  for (const key of shape.required) {
    if (!given.includes(key))
      throw buildError(`${where} needs an input "${key}"`, `it takes ${shape.keys.join(", ")}`, "MissingInput");
  }
}

/** Keys that are given a value; null when the whole input is a ref. */
function keysOf(input: Template): string[] | null {
  if (input.type === "object") return input.keys.filter((_, i) => !isUndefined(input.values[i]!));
  if (input.type !== "constant") return null;
  const { value } = input;
  if (typeof value !== "object" || value === null) return null;
  return Object.keys(value).filter((key) => (value as Record<string, unknown>)[key] !== undefined);
}

function isUndefined(template: Template): boolean {
  return template.type === "constant" && template.value === undefined;
}
