import type { RunInfo } from "@millrace/core";

export interface NodeCounts {
  readonly node: string;
  readonly finished: number;
  readonly failed: number;
}

/** Finished and failed invocations, in the order in which nodes first finished or failed. */
export function nodeCounts({ finished, failed }: Pick<RunInfo, "finished" | "failed">): NodeCounts[] {
  const nodes = [...new Set([...Object.keys(finished), ...Object.keys(failed)])];
  return nodes.map((node) => ({ node, finished: finished[node] ?? 0, failed: failed[node] ?? 0 }));
}
