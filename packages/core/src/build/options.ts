import { buildError } from "../base/error.ts";
import { nearest } from "../base/name.ts";

/** Refuses options that are not a record, and keys that nobody reads. `where` names the call: `each()`, `op parse`. */
export function checkKeys(where: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw buildError(
      `the options of ${where} are ${options === null ? "null" : typeof options}`,
      `options are a record: { ${known.join(", ")} }`,
    );
  }
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    const all = `it takes ${known.join(", ")}`;
    throw buildError(
      `${where} has no option "${key}"`,
      near === undefined ? all : `did you mean "${near}"? ${all}`,
      "UnknownKey",
    );
  }
}

/** Refuses a value that is none of `choices`. */
export function checkChoice<T extends string>(where: string, key: string, value: unknown, choices: readonly T[]): T {
  if (choices.includes(value as T)) return value as T;
  throw buildError(
    `${key} of ${where} is ${JSON.stringify(value)}`,
    `it is one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
  );
}

/** Refuses a number that is not a whole one of at least 1. */
export function checkCount(where: string, key: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1) return value;
  throw buildError(`${key} of ${where} is ${String(value)}`, "it is a whole number, 1 or more");
}

/** Refuses a version that is no text. Absent and empty say the same: none is stated. */
export function checkVersion(where: string, version: unknown): string {
  if (version === undefined) return "";
  if (typeof version === "string") return version;
  throw buildError(`version of ${where} is not a string`, 'write version: "2"');
}
