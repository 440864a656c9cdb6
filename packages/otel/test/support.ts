import { onTestFinished } from "vitest";
import { SpanStatusCode, type Tracer } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-node";

export interface Spans {
  readonly tracer: Tracer;
  readonly all: () => readonly ReadableSpan[];
  /** `name` of each, under its parent, in the order they began; `!` where it failed. */
  readonly tree: () => string[];
}

/** An SDK as applications set it up, with its spans in memory; active spans are those of this provider's context manager. */
export function spansInMemory(): Spans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  onTestFinished(() => provider.shutdown());
  const all = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return { tracer: provider.getTracer("test"), all, tree: () => treeOf(all()) };
}

function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const at = ({ startTime: [seconds, nanos] }: ReadableSpan): number => seconds * 1e3 + nanos / 1e6;
  const under = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanContext: { spanId } = {} }) => {
        const known = spanId !== undefined && ids.has(spanId) ? spanId : undefined;
        return known === parent;
      })
      .toSorted((a, b) => at(a) - at(b))
      .flatMap((span) => [
        `${"  ".repeat(depth)}${span.name}${span.status.code === SpanStatusCode.ERROR ? " !" : ""}`,
        ...under(span.spanContext().spanId, depth + 1),
      ]);
  return under(undefined, 0);
}
