/**
 * From what runs tell observers to trace records.
 *
 * U1  A value goes through the include and exclude lists before anything else sees it, and without secrets.
 * U2  A run's trace is bounded: what does not fit is counted in its run record.
 * U3  What was told during recovery is not written again: the process that lived it wrote it.
 */
import { causesOf } from "../../base/causes.ts";
import { userFrames } from "../../base/user-frames.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RunTags } from "../../model/tags.ts";
import type { NodeEvent, Observer } from "../../ports/observer.ts";
import type { TraceError, TraceInvocation, TraceRecord, TraceRun } from "../../ports/trace.ts";
import type { Fields } from "./fields.ts";
import { cut, renderValue } from "./render.ts";

export interface TraceLimits {
  /** Characters of JSON per value, about. */
  readonly value: number;
  /** Invocations and yields per run. */
  readonly records: number;
}

type Told<K extends keyof Observer> = Parameters<NonNullable<Observer[K]>>[0];
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface RunTrace {
  readonly run: Mutable<TraceRun>;
  /** Invocations that have not resolved. */
  readonly open: Map<string, OpenInvocation>;
  records: number;
}

interface OpenInvocation {
  readonly record: Mutable<TraceInvocation>;
  attemptStartedAt: number | null;
}

interface Thrown {
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly causes?: readonly string[] | undefined;
}

/** Nodes that only move values: their invocations would bury the others. */
const plumbing: ReadonlySet<string> = new Set(["push", "read", "derive"]);

export class Tracer implements Observer {
  readonly #write: (record: TraceRecord) => void;
  readonly #clock: Clock;
  readonly #fields: Fields;
  readonly #redactor: Redactor;
  readonly #limits: TraceLimits;
  readonly #runs: Map<string, RunTrace> = new Map();
  /** Of runs that were put aside and may go on, where a caller marked them or they have a thread. */
  readonly #aside: Map<string, RunTags & Pick<TraceRun, "thread">> = new Map();

  constructor(
    write: (record: TraceRecord) => void,
    clock: Clock,
    fields: Fields,
    redactor: Redactor,
    limits: TraceLimits,
  ) {
    this.#write = write;
    this.#clock = clock;
    this.#fields = fields;
    this.#redactor = redactor;
    this.#limits = limits;
  }

  runStarted({ runId, graph, traceId = null, labels = null, thread = null }: Told<"runStarted">): void {
    const startedAt = this.#clock.now();
    const run: TraceRun = {
      type: "run",
      runId,
      graph,
      status: "running",
      startedAt,
      endedAt: null,
      dropped: 0,
      traceId,
      labels,
      thread,
    };
    this.#aside.delete(runId);
    this.#runs.set(runId, { run: { ...run }, open: new Map(), records: 0 });
    this.#write(run);
  }

  runEnded({ runId, status }: Told<"runEnded">): void {
    const trace = this.#runs.get(runId);
    this.#aside.delete(runId);
    if (trace === undefined) return;
    this.#runs.delete(runId);
    const { traceId, labels, thread } = trace.run;
    const isMarked = traceId !== null || labels !== null || thread !== null;
    if ((status === "interrupted" || status === "drained") && isMarked)
      this.#aside.set(runId, { traceId, labels, thread });
    this.#write({ ...trace.run, status, endedAt: this.#clock.now() });
  }

  attemptStarted(event: Told<"attemptStarted">): void {
    const known = this.#invocation(event);
    if (known === null) return;
    const now = this.#clock.now();
    known.attemptStartedAt = now;
    const { record } = known;
    record.startedAt ??= now;
    record.status = "running";
    record.attempts = event.attempt;
    record.upstream = event.upstream;
    record.input ??= this.#value(event.node, "input", event.input);
    this.#put(known, event);
    this.#attempt(known, event.attempt, { endedAt: null, error: null, retryInMs: null });
  }

  attemptFailed(event: Told<"attemptFailed">): void {
    const known = this.#invocation(event);
    if (known === null) return;
    const { code, type, message, thrown, retryInMs } = event;
    const error = this.#error({ code, type, message, causes: causesOf(thrown) }, thrown);
    this.#attempt(known, event.attempt, { endedAt: this.#clock.now(), error, retryInMs });
    known.attemptStartedAt = null;
    known.record.attempts = event.attempt;
    known.record.error = error;
    if (retryInMs === null) return;
    known.record.status = "retrying";
    this.#put(known, event);
  }

  yielded(event: Told<"yielded">): void {
    const known = this.#invocation(event);
    if (known === null) return;
    known.record.yields++;
    if (event.replayed || !this.#fits(this.#traceOf(event))) return;
    const { runId, path, index, node, value } = event;
    const output = this.#value(node, "output", value);
    this.#write({ type: "yield", runId, path, index, at: this.#clock.now(), output });
  }

  finished(event: Told<"finished">): void {
    const known = this.#invocation(event);
    if (known === null) return;
    const now = this.#clock.now();
    if (known.record.startedAt !== null)
      this.#attempt(known, event.attempts, { endedAt: now, error: null, retryInMs: null });
    known.record.error = null;
    known.record.cached = event.cached === true;
    if (event.value !== undefined) known.record.output = this.#value(event.node, "output", event.value);
    this.#close(known, event, "finished");
  }

  failed(event: Told<"failed">): void {
    const known = this.#invocation(event);
    if (known === null) return;
    known.record.error ??= this.#error(event.error, undefined);
    this.#close(known, event, "failed");
  }

  /** A question: what is asked is its input, the answer its output. */
  asked(event: Told<"asked">): void {
    const known = this.#invocation(event);
    if (known === null) return;
    known.record.startedAt ??= this.#clock.now();
    known.record.status = "waiting";
    known.record.input ??= this.#value(event.node, "input", event.payload);
    this.#put(known, event);
  }

  settled(event: Told<"settled">): void {
    const known = this.#invocation(event);
    if (known === null) return;
    known.record.because = event.because ?? null;
    known.record.at = event.at ?? null;
    this.#close(known, event, event.as);
  }

  /** U2; null: it is not traced. */
  #invocation(event: NodeEvent): OpenInvocation | null {
    if (plumbing.has(event.kind)) return null;
    const trace = this.#traceOf(event);
    const known = trace.open.get(event.path);
    if (known !== undefined) return known;
    if (!this.#fits(trace)) return null;
    const invocation = newInvocation(event);
    trace.open.set(event.path, invocation);
    return invocation;
  }

  /** A run that was drained or waited for answers, and was over for this tracer, goes on. */
  #traceOf({ runId, path }: NodeEvent): RunTrace {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    const [graph = ""] = path.split("/");
    this.runStarted({ runId, graph, replayed: false, ...this.#aside.get(runId) });
    return this.#runs.get(runId) as RunTrace;
  }

  #fits(trace: RunTrace): boolean {
    if (trace.records < this.#limits.records) {
      trace.records++;
      return true;
    }
    trace.run.dropped++;
    // Seen while the run goes on, at a cost that stays small.
    if ((trace.run.dropped & (trace.run.dropped - 1)) === 0) this.#write({ ...trace.run });
    return false;
  }

  #close(known: OpenInvocation, event: NodeEvent, status: TraceInvocation["status"]): void {
    known.record.status = status;
    known.record.endedAt = this.#clock.now();
    this.#put(known, event);
    this.#runs.get(event.runId)?.open.delete(event.path);
  }

  /** U3 */
  #put({ record }: OpenInvocation, event: NodeEvent): void {
    record.seq = event.seq;
    if (!event.replayed) this.#write({ ...record });
  }

  #attempt(
    { record, attemptStartedAt }: OpenInvocation,
    attempt: number,
    end: { endedAt: number | null; error: TraceError | null; retryInMs: number | null },
  ): void {
    const { runId, path } = record;
    if (attemptStartedAt !== null)
      this.#write({ type: "attempt", runId, path, attempt, startedAt: attemptStartedAt, ...end });
  }

  /** U1 */
  #value(node: string, side: "input" | "output", value: unknown): string {
    return renderValue(value, this.#fields.of(node, side), this.#limits.value, this.#redactor);
  }

  #error({ code, type, message, causes }: Thrown, thrown: unknown): TraceError {
    const redactor = this.#redactor;
    const frames = userFrames(thrown).map((frame) => redactor.text(frame));
    const error = { code, type, message: cut(message, this.#limits.value, redactor), frames };
    return causes === undefined ? error : { ...error, causes: causes.map((cause) => redactor.text(cause)) };
  }
}

function newInvocation({ runId, path, node, kind, seq }: NodeEvent): OpenInvocation {
  return {
    attemptStartedAt: null,
    record: {
      type: "invocation",
      runId,
      path,
      node,
      kind,
      seq,
      status: "running",
      startedAt: null,
      endedAt: null,
      attempts: 0,
      yields: 0,
      upstream: [],
      because: null,
      at: null,
      input: null,
      output: null,
      cached: false,
      error: null,
    },
  };
}
