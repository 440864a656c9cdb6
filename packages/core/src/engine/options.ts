import { MillraceError } from "../base/error.ts";
import type { EngineOptions } from "./api.ts";

const known = ["backend", "graphs", "errors", "concurrency", "runConcurrency", "durability", "recover", "observer", "clock", "entropy", "warn", "check"];

/** Wrong options fail when the engine opens, not when a run first needs them. */
export function checkOptions(options: EngineOptions): void {
  for (const key of Object.keys(options)) if (!known.includes(key)) throw wrong(`there is no engine option "${key}"`, `known options: ${known.join(", ")}`);
  checkCap("concurrency", options.concurrency);
  checkCap("runConcurrency", options.runConcurrency);
  checkChoice("errors", options.errors, ["record", "raise"]);
  checkChoice("durability", options.durability, ["sync", "async"]);
  if (options.durability !== undefined && options.backend === undefined) throw wrong("durability needs a backend", 'for example openEngine({ backend: sqlite("app.db"), durability: "async" })');
}

function checkCap(name: string, cap: number | undefined): void {
  if (cap !== undefined && !(Number.isInteger(cap) && cap >= 1)) throw wrong(`${name} must be a whole number of at least 1, not ${String(cap)}`);
}

function checkChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value)) throw wrong(`${name} must be ${choices.join(" or ")}, not ${JSON.stringify(value)}`);
}

function wrong(message: string, hint?: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}

const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

export function checkRunId(id: string): string {
  if (idPattern.test(id)) return id;
  throw wrong(`a run id is 1 to 128 letters, digits, "_" or "-", and ${JSON.stringify(id.slice(0, 140))} is not`);
}
