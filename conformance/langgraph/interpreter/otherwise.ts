/** What Millrace is expected to do: the vector, with the deliberate differences of its definition put in. */
import type { Otherwise } from "../format/definition.ts";
import type { Json } from "../format/json.ts";
import type { Vector } from "../format/vector.ts";

/** Throws if a difference points to nothing, or says what the vector says anyway. */
export function expectedOf(vector: Vector, ours: readonly Otherwise[] = []): Vector {
  const copy = structuredClone(vector);
  for (const otherwise of ours) put(copy as unknown as Container, otherwise);
  return copy;
}

type Container = Record<string, Json | undefined>;

function put(root: Container, { at, value }: Otherwise): void {
  const keys = at.split("/").slice(1).map(unescape);
  const last = keys.pop();
  const holder = keys.reduce<unknown>((inner, key) => (inner as Container | undefined)?.[key], root);
  if (last === undefined || typeof holder !== "object" || holder === null) throw new Error(`${at} points to nothing`);
  if (JSON.stringify((holder as Container)[last]) === JSON.stringify(value)) throw new Error(`${at} is no difference`);
  if (value !== undefined) (holder as Container)[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Container)[last];
}

function unescape(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
