import { defaultLimits, type JournalLimits } from "../journal/limits.ts";
import { runStatuses } from "../ports/backend.ts";
import { BY_TIMEOUT } from "../scheduler/event.ts";
import { logLevels } from "../ports/log.ts";
import type {
  AnswerOptions,
  DeleteThreadOptions,
  EngineOptions,
  ListFilter,
  ResumeOptions,
  RunOptions,
  ShutdownOptions,
  TraceOptions,
} from "./api.ts";
import { checkCap, checkChoice, checkKeys, checkPort, objectOf, shown, wrong } from "./option-checks.ts";
import { noBackend } from "./run-errors.ts";
import { checkRedact, checkSecrets } from "./secret-options.ts";
import { checkSnapshots } from "./snapshot-options.ts";
import { checkLabels } from "./tags.ts";

const engineOptions = [
  "backend",
  "graphs",
  "resources",
  "secrets",
  "redact",
  "cache",
  "store",
  "cpu",
  "tasks",
  "errors",
  "concurrency",
  "runConcurrency",
  "durability",
  "journalLimits",
  "recover",
  "poll",
  "maxAttempts",
  "observer",
  "traces",
  "snapshots",
  "clock",
  "entropy",
  "log",
  "logLevel",
  "slowOp",
  "warn",
  "asyncContext",
  "check",
];
const runOptions = ["id", "thread", "signal", "errors", "context", "labels", "traceId", "journalLimits", "follows"];

/** Wrong options fail when the engine opens, not when a run first needs them. */
export function checkOptions(options: EngineOptions): void {
  checkKeys("engine", options, engineOptions);
  checkCap("concurrency", options.concurrency);
  checkCap("runConcurrency", options.runConcurrency);
  checkCap("maxAttempts", options.maxAttempts);
  checkChoice("errors", options.errors, ["record", "raise"]);
  checkChoice("durability", options.durability, ["sync", "async", "exit"]);
  checkLimits(options.journalLimits);
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
    "post",
    "inbox",
    "arrivals",
    "reject",
    "notes",
    "restore",
    "requeue",
    "living",
    "carried",
    "putBlob",
    "getBlob",
    "prune",
    "stats",
    "close",
  ]);
  checkSecrets(options.secrets);
  if (options.redact !== undefined) checkRedact(options.redact);
  checkPort("cache", options.cache, ["get", "set", "delete"]);
  checkPort("store", options.store, ["get", "put", "delete", "search"]);
  checkPort("cpu", options.cpu, ["open", "prepare", "run", "close"]);
  checkPort("tasks", options.tasks, ["open", "run", "close"]);
  checkPort("clock", options.clock, ["now", "monotonic", "timer", "defer"]);
  checkGraphs(options.graphs);
  if (options.snapshots !== undefined) checkSnapshots(options.snapshots);
  if (options.traces !== undefined) checkTraces(options.traces);
  checkPort("entropy", options.entropy, ["random", "runId"]);
  if (options.durability !== undefined && options.backend === undefined)
    throw wrong(
      "durability needs a backend",
      'for example openEngine({ backend: sqlite("app.db"), durability: "async" })',
    );
  if (options.journalLimits !== undefined && options.backend === undefined) throw noBackend("journalLimits");
}

function checkLimits(limits: Partial<JournalLimits> | undefined): void {
  if (limits === undefined) return;
  checkKeys("journalLimits", limits, Object.keys(defaultLimits));
  for (const [name, limit] of Object.entries(limits))
    if (limit !== Infinity) checkCap(`journalLimits.${name}`, limit, ", or Infinity for no limit");
}

function checkGraphs(graphs: unknown): void {
  if (graphs === undefined || Array.isArray(graphs)) return;
  throw wrong(`graphs must be a list, not ${shown(graphs)}`, "write openEngine({ graphs: [flow] })");
}

function checkTraces(traces: TraceOptions): void {
  checkKeys("traces", traces, ["sinks", "include", "exclude", "limits"]);
  for (const name of ["include", "exclude"] as const) {
    const parts: unknown = traces[name];
    if (parts === undefined || (Array.isArray(parts) && parts.every((part) => typeof part === "string"))) continue;
    throw wrong(
      `traces.${name} must be a list of texts${Array.isArray(parts) ? "" : `, not ${shown(parts)}`}`,
      `for example traces: { sinks: [sink], ${name}: ["login.input.password"] }`,
    );
  }
  if (traces.limits !== undefined) objectOf("traces.limits", traces.limits, "write limits: { value: 4096 }");
}

export function checkThread(thread: unknown): string {
  const text = typeof thread === "string" ? thread : "";
  if (text !== "" && text.length <= 256 && text.isWellFormed() && !text.includes("\0")) return text;
  throw wrong(
    `thread must be a text of 1 to 256 characters, well-formed and without NUL, not ${shown(thread)}`,
    'for example thread: "customer-17"',
  );
}

export function checkRunOptions(options: RunOptions): void {
  checkKeys("run", options, runOptions);
  checkChoice("errors", options.errors, ["record", "raise"]);
  checkLimits(options.journalLimits);
  if (options.follows !== undefined && options.thread === undefined)
    throw wrong("follows names a run of a thread", "give the thread too, or leave it out");
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal))
    throw wrong("signal must be an AbortSignal");
}

export function checkListFilter(filter: ListFilter): void {
  checkKeys("list", filter, ["status", "graph", "thread", "carriedUntil", "labels", "limit"]);
  checkCap("limit", filter.limit);
  if (filter.labels !== undefined) checkLabels(filter.labels);
  if (filter.status === undefined) return;
  if (!Array.isArray(filter.status))
    throw wrong(`status must be a list, for example ["running"], not ${JSON.stringify(filter.status)}`);
  for (const status of filter.status) checkChoice("status", String(status), runStatuses);
}

export function checkResumeOptions(options: ResumeOptions): void {
  checkKeys("resume", options, ["allowGraphChange"]);
}

export function checkAnswerOptions(options: AnswerOptions): void {
  checkKeys("answer", options, ["by"]);
  if (options.by === BY_TIMEOUT)
    throw wrong(`by must not be ${shown(BY_TIMEOUT)}, which stands for nobody`, 'write { by: "ann" }');
  if (options.by !== undefined && typeof options.by !== "string")
    throw wrong(`by must be a text that says who answers, not ${shown(options.by)}`, 'write { by: "ann" }');
}

export function checkDeleteThreadOptions(options: DeleteThreadOptions): void {
  checkKeys("deleteThread", options, ["cancel"]);
}

export function checkShutdownOptions(options: ShutdownOptions): void {
  checkKeys("shutdown", options, ["grace"]);
}

const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

export function checkRunId(id: string): string {
  if (idPattern.test(id)) return id;
  throw wrong(`a run id is 1 to 128 letters, digits, "_" or "-", and ${JSON.stringify(id.slice(0, 140))} is not`);
}
