import { errorOf, MillraceError } from "../base/error.ts";
import { asPromise } from "../base/thenable.ts";
import type { SchemaIssue, SchemaResult, StandardSchemaV1 } from "../model/standard-schema.ts";

/** Checks a value at a border; the promise is there only when the schema's validation is asynchronous. */
export function validate(schema: StandardSchemaV1, value: unknown, what: string): unknown {
  const result = schema["~standard"].validate(value);
  const later = asPromise(result);
  if (later !== null) return later.then((settled) => unwrap(settled as SchemaResult<unknown>, what));
  return unwrap(result as SchemaResult<unknown>, what);
}

function unwrap(result: SchemaResult<unknown>, what: string): unknown {
  if (result.issues === undefined) return result.value;
  throw errorOf("InvalidValue", { what, issues: result.issues.map(issueText).join("; ") });
}

function issueText(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

/** Errors of the value itself: another attempt would only repeat them. */
export function isFinal(error: unknown): boolean {
  try {
    return error instanceof MillraceError && finalCodes.has(error.code);
  } catch {
    // A Proxy that cannot even be asked what it is.
    return true;
  }
}

const finalCodes = new Set([
  "InvalidValue",
  "Unencodable",
  "UndecodableStep",
  "NoSuchTask",
  "NonDeterministicResume",
  "NotResumable",
  "NotAStream",
  "UnsafeInFlight",
  "CrashLoop",
]);
