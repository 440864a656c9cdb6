import { context, trace, type Attributes, type Context, type SpanContext, type Tracer } from "@opentelemetry/api";
import type { TraceRecord, TraceRun, TraceSink } from "@millrace/core";
import { RunSpans } from "./run-spans.ts";
import { labelledContext } from "./traceparent.ts";

export interface OtelTracesOptions {
  /** Default: the global provider's tracer `@millrace/otel`. */
  readonly tracer?: Tracer;
  /**
   * What else the span of a run has, such as its id: `({ runId }) => ({ "millrace.run.id": runId })`. By default there are only
   * the names of the GenAI conventions, and nothing that was computed.
   */
  readonly attributes?: (run: TraceRun) => Attributes;
}

/** Of so many runs that wait for answers it is known which span they go on from. */
const mostAside = 10_000;

/**
 * A sink for `traces: { sinks: [otelTraces()] }`: one span per run (`invoke_workflow`), under it one per op that ran
 * (`execute_tool`); of a state graph, one per superstep (`invoke_agent`), each a child of the one before, and under it its nodes.
 * Failed attempts are events of the node's span. Inputs, outputs and messages of errors are in none of them.
 *
 * The parent of a run's span is what `traceLabels()` put into its labels, else the span that is active where it is started.
 */
export function otelTraces(options: OtelTracesOptions = {}): TraceSink {
  return new OtelTraces(options);
}

class OtelTraces implements TraceSink {
  readonly #options: OtelTracesOptions;
  readonly #runs: Map<string, RunSpans> = new Map();
  /** Of runs that were put aside: what goes on belongs to the same trace. */
  readonly #aside: Map<string, Context> = new Map();

  constructor(options: OtelTracesOptions) {
    this.#options = options;
  }

  write(record: TraceRecord): void {
    if (record.type === "run") this.#run(record);
    else if (record.type === "invocation") this.#runs.get(record.runId)?.invocation(record);
    else if (record.type === "attempt") this.#runs.get(record.runId)?.attempt(record);
  }

  /** Spans of what is still at work end here: another process may go on with it. */
  close(): void {
    for (const run of this.#runs.values()) run.end("", Date.now());
    this.#runs.clear();
    this.#aside.clear();
  }

  #run(record: TraceRun): void {
    const known = this.#runs.get(record.runId);
    if (record.endedAt === null) {
      if (known === undefined) this.#runs.set(record.runId, this.#begin(record));
      return;
    }
    this.#runs.delete(record.runId);
    known?.end(record.status, record.endedAt);
    if (known !== undefined && (record.status === "interrupted" || record.status === "drained"))
      this.#putAside(record.runId, known.spanContext);
  }

  #begin(record: TraceRun): RunSpans {
    const { tracer = trace.getTracer("@millrace/otel"), attributes } = this.#options;
    const parent = labelledContext(record.labels) ?? this.#aside.get(record.runId) ?? context.active();
    this.#aside.delete(record.runId);
    return new RunSpans(tracer, parent, record, attributes?.(record) ?? {});
  }

  #putAside(runId: string, span: SpanContext): void {
    const [oldest] = this.#aside.keys();
    if (this.#aside.size >= mostAside && oldest !== undefined) this.#aside.delete(oldest);
    this.#aside.set(runId, trace.setSpanContext(context.active(), { ...span, isRemote: true }));
  }
}
