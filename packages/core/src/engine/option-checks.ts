/** What all options are checked for. */
import { MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";

/** That it is an object, and has no keys but these. */
export function checkKeys(what: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw notAnObject(`${what} options`, options, `known options: ${known.join(", ")}`);
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const close = nearest(key, known);
    throw wrong(
      `there is no ${what} option "${key}"${close === undefined ? "" : `; did you mean "${close}"?`}`,
      `known options: ${known.join(", ")}`,
    );
  }
}

export function objectOf(name: string, value: unknown, hint?: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw notAnObject(name, value, hint);
}

function notAnObject(name: string, value: unknown, hint?: string): MillraceError {
  return wrong(`${name} must be an object, not ${shown(value)}`, hint);
}

export function checkPort(name: string, port: unknown, methods: readonly string[]): void {
  if (port === undefined) return;
  const found = Object(port) as Record<string, unknown>;
  const missing = methods.filter((method) => typeof found[method] !== "function");
  if (missing.length > 0) throw wrong(`${name} lacks ${missing.join(", ")}`);
}

/** `also`: what else it may be. */
export function checkCap(name: string, cap: number | undefined, also = ""): void {
  if (cap !== undefined && !(Number.isInteger(cap) && cap >= 1))
    throw wrong(`${name} must be a whole number of at least 1${also}, not ${shown(cap)}`);
}

export function checkChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value))
    throw wrong(`${name} must be ${choices.join(" or ")}, not ${JSON.stringify(value)}`);
}

/** A value that is not what it should be, for a message: short, whatever it is. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

export function wrong(message: string, hint?: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}
