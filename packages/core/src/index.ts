/** `@millrace/core`: authoring, building and running workflows. Runs in Node and in browsers. */

// ---- authoring ----
export { op } from "./build/op.ts";
export { graph } from "./build/graph.ts";
export { each } from "./build/each.ts";
export { collect, reduce, type OnItemError } from "./build/collectors.ts";
export { final } from "./build/final.ts";
export { derive, filter, orElse, present } from "./build/values.ts";
export { prompt, text, type Prompt, type PromptVariables } from "./build/text.ts";
export { cell, push, read } from "./build/cell.ts";
export { given, match, route, when } from "./build/blocks/choose.ts";
export { loop } from "./build/blocks/loop.ts";
export { race } from "./build/blocks/race.ts";
export { onEnd, type RunEnding } from "./build/blocks/on-end.ts";
export { fail, fallback } from "./build/blocks/fallback.ts";
export { zip } from "./build/zip.ts";
export { egress, ingress } from "./build/ports.ts";
export { sweep, type SweepOptions } from "./build/sweep.ts";
export { emit, interrupt, sleep, type AskOptions } from "./build/outside.ts";
export { callerContext } from "./build/caller-context.ts";
export { resource } from "./build/resource.ts";
export { add, append, last, max, merge, messagesById, min, orderedBy, type SortKey } from "./build/reducers.ts";
export { overwrite } from "./build/overwrite.ts";

// ---- state graphs ----
export { stateGraph } from "./state-graph/state-graph.ts";
export type { CompileOptions, StateGraph, StateGraphBuilder, StateTypes } from "./state-graph/state-graph.ts";
export { END, START, superstepOf, type SuperstepPlace } from "./state-graph/names.ts";
export { threadsOf, type Threads } from "./state-graph/threads.ts";
export type { CheckpointsOptions, TurnOptions, UpdateOptions } from "./state-graph/thread-options.ts";
export type { Checkpoint, InnerCheckpoint, PendingTask, ThreadState, Writes } from "./state-graph/checkpoint.ts";
export { inlineTasks, oneAtATime } from "./state-graph/executors.ts";
export { tasksByName } from "./state-graph/tasks-by-name.ts";
export { requestOf, taskRunner, type TaskHooks, type TaskRequest, type TaskRunner } from "./state-graph/task-runner.ts";
export type { RanHere, TaskExecution, TaskExecutor, TaskName, TaskWork } from "./ports/task-executor.ts";
export type { GraphEvent, GraphEventsOptions, GraphPlace } from "./state-graph/graph-events.ts";
export type { Step, Steps } from "./state-graph/steps.ts";
export type { NodeRun } from "./state-graph/node-run.ts";
export type { NodeOptions, Question, Questions } from "./state-graph/shape.ts";
export type { Field, Fields, StateOf, UpdateFor } from "./state-graph/state-def.ts";

// ---- workflows ----
export { workflow, type Workflow, type WorkflowOptions } from "./workflow/workflow.ts";
export { CallError } from "./workflow/call-error.ts";
export type { WorkflowCtx, WorkflowQuestion, WorkflowQuestions } from "./workflow/ctx.ts";

export type {
  CallOptions,
  Graph,
  GraphPlan,
  NodeJson,
  Op,
  OpCtx,
  ResumePoint,
  OpDef,
  OpOptions,
  PlanJson,
  Runnable,
  StreamJson,
} from "./model/op.ts";
export type { Migration } from "./model/migration.ts";
export type { Arg, Args, Finishing, ItemsOf, Output, Ref, RefOf, Settled, Stream, StreamKeys } from "./model/ref.ts";
export type { Item, Item2, Item3, Run, Scope } from "./model/scope.ts";
export type { CallerContext } from "./model/caller-context.ts";
export type { Binding, Needs, Resource } from "./model/resource.ts";
export type { Log } from "./model/log.ts";
export type { Cell, Overwrite, Reducer } from "./model/reducer.ts";
export type { Finding } from "./model/plan.ts";
export type { CacheOptions, OpPolicies, RetryOptions, TimeoutOptions } from "./model/policies.ts";
export type { Labels } from "./model/tags.ts";
export type { StandardSchemaV1 } from "./model/standard-schema.ts";
export type { Duration } from "./base/duration.ts";
export type { OpError } from "./events/record.ts";
export { MillraceError } from "./base/error.ts";
export type { BuildReason, ErrorCode, FindingCode } from "./base/messages.generated.ts";

// ---- memory that runs share ----
export { storeDelete, storeGet, storeOps, storePut, storeSearch } from "./store/ops.ts";
export type { Found, FoundItems, PutInput, SearchInput, StoreOps } from "./store/ops.ts";
export { memoryStore } from "./store/memory-store.ts";
export { storeOver } from "./store/store.ts";
export type {
  FieldCondition,
  Namespace,
  PutOptions,
  SearchOptions,
  Store,
  StoreFilter,
  StoreItem,
  StoreOrdered,
  StorePlace,
} from "./model/store.ts";

// ---- engine ----
export { openEngine } from "./engine/engine.ts";
export type { Interrupt, Verdict } from "./events/interrupt.ts";
export type {
  AnswerOptions,
  DeleteThreadOptions,
  Cells,
  Engine,
  EngineOptions,
  Handle,
  ListFilter,
  ResumeOptions,
  RunInfo,
  RunOptions,
  RunResult,
  TraceOptions,
} from "./engine/api.ts";
export type { ForkOptions, ForkPatch, HistoryOptions, StateOptions } from "./engine/fork-options.ts";
export type { ForkPreview, HistoryEntry, HistoryKind, Origin, RunAt } from "./engine/history-api.ts";
export type { ResourceLimits } from "./engine/limits.ts";
export { provide, type Provided, type ProvideOptions, type Provision } from "./engine/provide.ts";
export { isSecretRef, secretRef, type SecretRef } from "./secrets/secret-ref.ts";
export { secret, type Secret } from "./secrets/secret.ts";
export { redacted, type RedactOptions } from "./secrets/redactor.ts";
export type { SecretSource } from "./runtime/secrets.ts";
export { currentRun } from "./runtime/current-run.ts";
export type {
  CustomEvent,
  InterruptEvent,
  ItemsOptions,
  OutputEvent,
  Reset,
  RunStream,
  StreamEvent,
  StreamMode,
  StreamOptions,
  Task,
  TaskEvent,
  UpdateEvent,
  ValuesEvent,
} from "./engine/stream/events.ts";
export type { ErrorEntry } from "./events/record.ts";
export { memoryTraces, type MemoryTraces } from "./engine/trace/memory-traces.ts";
export { allRuns } from "./journal/all-runs.ts";
export { openQuestions, type OpenQuestion, type OpenQuestions } from "./journal/open-questions.ts";
export type { Answered } from "./journal/fold.ts";
export { checkRuns, type CheckedRuns, type CheckRunsOptions, type RunProblem } from "./journal/check-runs.ts";
export { checkAgainst, type RunVerdict } from "./journal/check-against.ts";
export {
  compareRuns,
  type ComparedRun,
  type ComparedSide,
  type CompareOptions,
  type RunComparison,
  type RunDifference,
} from "./journal/compare/compare-runs.ts";
export type { Compacted } from "./journal/compact/compact-run.ts";
export { exportRuns, type ExportOptions } from "./journal/archive/export-runs.ts";
export { importRuns, type ImportedRuns } from "./journal/archive/import-runs.ts";
export { memory } from "./backends/memory.ts";
export { WrappedBackend } from "./backends/wrapped.ts";
export { memoryCache, type MemoryCacheOptions } from "./backends/memory-cache.ts";

// ---- ports: what an application or an adapter may replace ----
export type {
  Append,
  AppendResult,
  Backend,
  BackendStats,
  ClaimRequest,
  CreateResult,
  HeldGraph,
  JournalRow,
  NewRun,
  Compaction,
  CompactResult,
  PruneRequest,
  Pruned,
  RestoredRun,
  RestoreResult,
  RunFilter,
  RunRow,
  RunStatus,
} from "./ports/backend.ts";
export { endedStatuses, holdBackMs, longLifeMs } from "./ports/backend.ts";
export { fenceStep } from "./ports/fence.ts";
export type { Fenced, FenceRequest } from "./ports/fence.ts";
export type { CacheBound, CacheEntry, CacheStore, SyncCacheStore } from "./ports/cache-store.ts";
export type { Clock } from "./ports/clock.ts";
export type { Execution, Executor, ExecutorTask, Told } from "./ports/executor.ts";
export type { Entropy } from "./ports/entropy.ts";
export { noteWakes } from "./ports/inbox.ts";
export type { NewNote, Note, NoteKind, Post, PostResult, RestoredNote, StoredNote } from "./ports/inbox.ts";
export type { LogEntry, LogLevel, LogSink } from "./ports/log.ts";
export type { Generating, NodeEvent, Observer } from "./ports/observer.ts";
export type { Entry, EntryRange, EntryStore, NewEntry } from "./ports/store.ts";
export type { CarriedRow, NewCarriedRow } from "./ports/thread.ts";
export type {
  Trace,
  TraceAttempt,
  TraceError,
  TraceInvocation,
  TraceRecord,
  TraceRun,
  TraceSink,
  TraceValue,
  TraceYield,
} from "./ports/trace.ts";
