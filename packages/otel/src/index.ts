export { otelTraces, type OtelTracesOptions } from "./otel-traces.ts";
export { traceLabels } from "./traceparent.ts";
