/** A trace as `show --trace --json` prints it. Field names are stable; times are ISO 8601 in UTC. */
import type { Trace, TraceInvocation } from "@millrace/core";
import { isoTime } from "../format/time.ts";
import { type Branch, traceTree } from "./trace-tree.ts";

export function traceDocument(trace: Trace): Record<string, unknown> {
  const { runId, graph, status, startedAt, endedAt, dropped, traceId, labels } = trace.run;
  return {
    id: runId,
    graph,
    status,
    startedAt: isoTime(startedAt),
    endedAt: time(endedAt),
    dropped,
    traceId,
    labels: labels ?? {},
    tree: below(traceTree(trace)),
  };
}

function below({ children }: Branch): unknown[] {
  return [...children.values()].map(branchDocument);
}

function branchDocument(branch: Branch): Record<string, unknown> {
  const { name, invocation, attempts, item } = branch;
  return {
    name,
    ...(item !== undefined && { yieldedAt: isoTime(item.at), yielded: value(item.output) }),
    ...(invocation !== undefined && invocationDocument(invocation)),
    ...(attempts.length > 0 && {
      tries: attempts.map(({ attempt, startedAt, endedAt, error, retryInMs }) => ({
        attempt,
        startedAt: time(startedAt),
        endedAt: time(endedAt),
        error,
        retryInMs,
      })),
    }),
    ...(branch.children.size > 0 && { children: below(branch) }),
  };
}

function invocationDocument(invocation: TraceInvocation): Record<string, unknown> {
  const { path, node, kind, status, startedAt, endedAt, attempts, yields, upstream, because, at, error, cached } =
    invocation;
  return {
    path,
    node,
    kind,
    status,
    startedAt: time(startedAt),
    endedAt: time(endedAt),
    attempts,
    yields,
    upstream,
    cached,
    ...(because !== null && { because, at }),
    ...(error !== null && { error }),
    input: value(invocation.input),
    output: value(invocation.output),
  };
}

function value(json: string | null): unknown {
  return json === null ? null : (JSON.parse(json) as unknown);
}

function time(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
