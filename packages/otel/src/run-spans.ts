/**
 * The spans of one run, made from the records of its trace as they come.
 *
 * T1  A span begins when its node began and ends when that ended, whenever the record came.
 * T2  A superstep begins with the first of it that runs, is a child of the one before, and ends with the last of it.
 * T3  A state graph that is a node of another one is a span under its superstep, and its supersteps are under that.
 * T4  What is left open when the run ends, ends with it.
 */
import {
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type HrTime,
  type Span,
  type SpanContext,
  type Tracer,
} from "@opentelemetry/api";
import {
  superstepOf,
  type SuperstepPlace,
  type TraceAttempt,
  type TraceError,
  type TraceInvocation,
  type TraceRun,
} from "@millrace/core";
import { conventions, operations } from "./conventions.ts";

/** A span that others are under. */
interface Parent {
  readonly span: Span;
  readonly context: Context;
}

interface Superstep extends Parent {
  readonly index: number;
  /** When the last of it ended so far. */
  endedAt: number;
}

export class RunSpans {
  readonly #tracer: Tracer;
  readonly #run: TraceRun;
  readonly #root: Parent;
  /** By path of the node, or of the question. */
  readonly #open: Map<string, Span> = new Map();
  /** By path of the state graph: where it stands. */
  readonly #supersteps: Map<string, Superstep> = new Map();
  /** By path of a state graph that is a node of another one. */
  readonly #children: Map<string, Parent> = new Map();
  #failure: string | null = null;

  constructor(tracer: Tracer, parent: Context, run: TraceRun, attributes: Attributes) {
    this.#tracer = tracer;
    this.#run = run;
    const named = { ...attributes, [conventions.workflowName]: run.graph };
    this.#root = this.#parent("run", run.graph, parent, run.startedAt, named);
  }

  get spanContext(): SpanContext {
    return this.#root.span.spanContext();
  }

  invocation(record: TraceInvocation): void {
    const { path, kind, startedAt, endedAt, error } = record;
    if (kind === "loop" && endedAt !== null) this.#closeChild(path, endedAt);
    if (record.status === "failed") this.#failure = error === null ? null : kindOf(error);
    // What never ran is none: it was skipped, taken from the cache, or only passes values on.
    if (startedAt === null) return;
    const place = superstepOf(path);
    const span = this.#open.get(path) ?? this.#node(path, place, toolOf(record, place), startedAt);
    if (endedAt === null) return;
    if (error !== null && record.status === "failed") fail(span, kindOf(error));
    this.#open.delete(path);
    span.end(time(endedAt));
    const superstep = place === null ? undefined : this.#supersteps.get(place.graph);
    if (superstep !== undefined) superstep.endedAt = Math.max(superstep.endedAt, endedAt);
  }

  attempt({ path, error, endedAt, startedAt }: TraceAttempt): void {
    if (error === null) return;
    const at = time(endedAt ?? startedAt ?? this.#run.startedAt);
    this.#open.get(path)?.addEvent(conventions.exceptionEvent, { [conventions.exceptionType]: kindOf(error) }, at);
  }

  end(status: string, at: number): void {
    for (const span of this.#open.values()) span.end(time(at));
    for (const { span, endedAt } of this.#supersteps.values()) span.end(time(Math.min(endedAt, at)));
    for (const { span } of this.#children.values()) span.end(time(at));
    for (const kept of [this.#open, this.#supersteps, this.#children]) kept.clear();
    if (status === "failed") fail(this.#root.span, this.#failure ?? status);
    this.#root.span.end(time(at));
  }

  #node(path: string, place: SuperstepPlace | null, tool: string, startedAt: number): Span {
    const under = place === null ? this.#root : this.#superstep(place, startedAt);
    const { span } = this.#parent("node", tool, under.context, startedAt, { [conventions.toolName]: tool });
    this.#open.set(path, span);
    return span;
  }

  /** T2 */
  #superstep({ graph, index }: SuperstepPlace, startedAt: number): Superstep {
    const before = this.#supersteps.get(graph);
    if (before !== undefined && before.index >= index) return before;
    before?.span.end(time(before.endedAt));
    const under = before ?? this.#stateGraph(graph, startedAt);
    const name = graph.includes("/") ? graph.slice(graph.lastIndexOf("/") + 1) : this.#run.graph;
    const made = this.#parent("superstep", name, under.context, startedAt, { [conventions.agentName]: name });
    const superstep = { ...made, index, endedAt: startedAt };
    this.#supersteps.set(graph, superstep);
    return superstep;
  }

  /** T3 */
  #stateGraph(graph: string, startedAt: number): Parent {
    const known = this.#children.get(graph);
    if (known !== undefined) return known;
    const outer = superstepOf(graph);
    if (outer === null) return this.#root;
    const tool = graph.slice(graph.lastIndexOf("/") + 1);
    const under = this.#superstep(outer, startedAt);
    const child = this.#parent("node", tool, under.context, startedAt, { [conventions.toolName]: tool });
    this.#children.set(graph, child);
    return child;
  }

  /** The loop over the supersteps of a state graph is over. */
  #closeChild(loop: string, endedAt: number): void {
    const graph = loop.slice(0, loop.lastIndexOf("/"));
    const last = this.#supersteps.get(graph);
    if (last === undefined) return;
    last.span.end(time(last.endedAt));
    this.#supersteps.delete(graph);
    this.#children.get(graph)?.span.end(time(endedAt));
    this.#children.delete(graph);
  }

  #parent(
    kind: keyof typeof operations,
    name: string,
    under: Context,
    startedAt: number,
    attributes: Attributes,
  ): Parent {
    const operation = operations[kind];
    const { thread } = this.#run;
    const common = {
      ...attributes,
      [conventions.operationName]: operation,
      ...(thread !== null && { [conventions.conversationId]: thread }),
    };
    const span = this.#tracer.startSpan(
      `${operation} ${name}`,
      { startTime: time(startedAt), attributes: common },
      under,
    );
    return { span, context: trace.setSpan(ROOT_CONTEXT, span) };
  }
}

/** How the node is called where it was declared: in a state graph its own name and not that of the wiring around it. */
function toolOf({ node, kind }: TraceInvocation, place: SuperstepPlace | null): string {
  return place !== null && place.node !== null && kind === "op" ? place.node : node.slice(node.lastIndexOf("/") + 1);
}

/** The class of what was thrown; of the engine's own errors, which have one class, the code. */
function kindOf({ code, type }: TraceError): string {
  return type === "MillraceError" ? code : type;
}

function fail(span: Span, kind: string): void {
  span.setAttribute(conventions.errorType, kind);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Numbers would be taken for times since the process began where they are small, as those of a virtual clock are. */
function time(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}
