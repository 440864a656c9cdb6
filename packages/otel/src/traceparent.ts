/** The span that a run belongs to, carried along as a label of the run, in the form that W3C's trace context has for it. */
import { isSpanContextValid, ROOT_CONTEXT, trace, type Context } from "@opentelemetry/api";

/** Name of the label. */
const label = "traceparent";

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * A label that says which span is active, for `engine.start(graph, input, { labels: traceLabels() })`: the run's spans are
 * children of that span in whichever process it goes on, also days later. No active span: no label.
 */
export function traceLabels(): Record<string, string> {
  const active = trace.getActiveSpan()?.spanContext();
  if (active === undefined || !isSpanContextValid(active)) return {};
  return { [label]: `00-${active.traceId}-${active.spanId}-${active.traceFlags.toString(16).padStart(2, "0")}` };
}

/** What `traceLabels` has made, as a context; null: the run has no such label, or one that says nothing. */
export function labelledContext(labels: Readonly<Record<string, string>> | null): Context | null {
  const [, traceId, spanId, flags] = form.exec(labels?.[label] ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : null;
}
