import { MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import { runStatuses } from "../ports/backend.ts";
import { logLevels } from "../ports/log.ts";
import type { EngineOptions, ListFilter, ResumeOptions, RunOptions } from "./api.ts";

const engineOptions = [
  "backend",
  "graphs",
  "resources",
  "cache",
  "cpu",
  "errors",
  "concurrency",
  "runConcurrency",
  "durability",
  "recover",
  "observer",
  "traces",
  "clock",
  "entropy",
  "log",
  "logLevel",
  "slowOp",
  "warn",
  "asyncContext",
  "check",
];
const runOptions = ["id", "signal", "errors", "context"];

/** Wrong options fail when the engine opens, not when a run first needs them. */
export function checkOptions(options: EngineOptions): void {
  checkKeys("engine", options, engineOptions);
  checkCap("concurrency", options.concurrency);
  checkCap("runConcurrency", options.runConcurrency);
  checkChoice("errors", options.errors, ["record", "raise"]);
  checkChoice("durability", options.durability, ["sync", "async"]);
  checkChoice("logLevel", options.logLevel, [...logLevels, "off"]);
  checkChoice("asyncContext", options.asyncContext?.toString(), ["true", "false"]);
  if (options.log !== undefined && typeof options.log !== "function")
    throw wrong("log must be a function that takes an entry");
  checkPort("backend", options.backend, [
    "open",
    "create",
    "append",
    "read",
    "get",
    "list",
    "claim",
    "release",
    "putBlob",
    "getBlob",
    "close",
  ]);
  checkPort("cache", options.cache, ["get", "set", "delete"]);
  checkPort("cpu", options.cpu, ["open", "prepare", "run", "close"]);
  checkPort("clock", options.clock, ["now", "monotonic", "timer", "defer"]);
  if (options.traces !== undefined) checkKeys("traces", options.traces, ["sinks", "include", "exclude", "limits"]);
  checkPort("entropy", options.entropy, ["random", "runId"]);
  if (options.durability !== undefined && options.backend === undefined)
    throw wrong(
      "durability needs a backend",
      'for example openEngine({ backend: sqlite("app.db"), durability: "async" })',
    );
}

export function checkRunOptions(options: RunOptions): void {
  checkKeys("run", options, runOptions);
  checkChoice("errors", options.errors, ["record", "raise"]);
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal))
    throw wrong("signal must be an AbortSignal");
}

export function checkListFilter(filter: ListFilter): void {
  checkKeys("list", filter, ["status", "graph", "limit"]);
  checkCap("limit", filter.limit);
  if (filter.status === undefined) return;
  if (!Array.isArray(filter.status))
    throw wrong(`status must be a list, for example ["running"], not ${JSON.stringify(filter.status)}`);
  for (const status of filter.status) checkChoice("status", String(status), runStatuses);
}

export function checkResumeOptions(options: ResumeOptions): void {
  checkKeys("resume", options, ["allowGraphChange"]);
}

function checkKeys(what: string, options: object, known: readonly string[]): void {
  for (const key of Object.keys(options)) {
    const close = nearest(key, known);
    if (!known.includes(key))
      throw wrong(
        `there is no ${what} option "${key}"${close === undefined ? "" : `; did you mean "${close}"?`}`,
        `known options: ${known.join(", ")}`,
      );
  }
}

function checkPort(name: string, port: object | undefined, methods: readonly string[]): void {
  if (port === undefined) return;
  const missing = methods.filter((method) => typeof (port as Record<string, unknown>)[method] !== "function");
  if (missing.length > 0) throw wrong(`${name} lacks ${missing.join(", ")}`);
}

function checkCap(name: string, cap: number | undefined): void {
  if (cap !== undefined && !(Number.isInteger(cap) && cap >= 1))
    throw wrong(`${name} must be a whole number of at least 1, not ${String(cap)}`);
}

function checkChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value !== undefined && !choices.includes(value))
    throw wrong(`${name} must be ${choices.join(" or ")}, not ${JSON.stringify(value)}`);
}

function wrong(message: string, hint?: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}

const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

export function checkRunId(id: string): string {
  if (idPattern.test(id)) return id;
  throw wrong(`a run id is 1 to 128 letters, digits, "_" or "-", and ${JSON.stringify(id.slice(0, 140))} is not`);
}
