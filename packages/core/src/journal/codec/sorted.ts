import type { Json } from "./contract.ts";
import { setOwn } from "./own.ts";

/**
 * The same JSON with the keys of every object in one order: by UTF-16 code unit, save that JavaScript itself puts
 * integer-like keys first. Arrays keep theirs, so Maps and Sets do too.
 */
export function sortKeys(json: Json): Json {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(sortKeys);
  const sorted: { [key: string]: Json } = {};
  for (const key of Object.keys(json).sort()) setOwn(sorted, key, sortKeys(json[key]!));
  return sorted;
}
