import { MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";

/** @throws MillraceError `InvalidOption` for an option that there is not. */
export function checkKeys(call: string, options: unknown, known: readonly string[]): void {
  const hint = `known options: ${known.join(", ")}`;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new MillraceError("InvalidOption", `the options of store.${call} must be an object`, { hint });
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const close = nearest(key, known);
    const meant = close === undefined ? "" : `; did you mean "${close}"?`;
    throw new MillraceError("InvalidOption", `store.${call} has no option ${JSON.stringify(key)}${meant}`, { hint });
  }
}
