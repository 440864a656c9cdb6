/** What is behind an error, as text. */
import { MillraceError } from "./error.ts";

const mostCauses = 5;
/** Of the errors that an `AggregateError` holds. */
const mostErrors = 3;
const longestMessage = 500;

/** `Type: message` of what an error names as its cause, of what that names, and so on; undefined when there is none. */
export function causesOf(error: unknown): readonly string[] | undefined {
  const causes: string[] = [];
  const seen = new Set<unknown>([error]);
  try {
    collect(error, seen, causes);
  } catch {
    // What was read before stands.
  }
  return causes.length === 0 ? undefined : causes;
}

function collect(error: unknown, seen: Set<unknown>, causes: string[]): void {
  if (!(error instanceof Error)) return;
  for (const next of behind(error)) {
    if (causes.length === mostCauses) return;
    if (seen.has(next)) continue;
    if (typeof next === "object") seen.add(next);
    causes.push(oneOf(next));
    collect(next, seen, causes);
  }
}

function behind(error: Error): unknown[] {
  const { cause } = error;
  const causes = cause === undefined || cause === null ? [] : [cause];
  return error instanceof AggregateError ? [...causes, ...error.errors.slice(0, mostErrors)] : causes;
}

function oneOf(cause: unknown): string {
  if (typeof cause !== "object" || cause === null) return cut(textOf(cause));
  const { message } = cause as { message?: unknown };
  if (typeof message !== "string") return cut(cause instanceof Error ? typeOf(cause) : textOf(cause));
  const type = typeOf(cause);
  if (message === "" || type === "") return cut(message === "" ? type : message);
  return `${type}: ${cut(message)}`;
}

/** The name of its class, or the code of one of Millrace's own. */
export function typeOf(error: object): string {
  if (error instanceof MillraceError) return error.code;
  const { name, type } = error as { name?: unknown; type?: unknown };
  return error instanceof Error ? textOf(name) : typeof type === "string" ? type : "";
}

/** Total. What JSON has no text for is written as it is in code: `NaN`, `10n`, `Symbol(x)`. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "symbol") return String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `function ${value.name}`.trimEnd();
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}

function cut(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…`.toWellFormed() : text;
}
