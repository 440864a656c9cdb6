import { runColumns } from "./run-columns.ts";
import type { Tables } from "./tables.ts";

/** Which conditions a list has: how many statuses and labels, and whether the others are there. */
export interface ListShape {
  readonly statuses: number | undefined;
  readonly graph: boolean;
  readonly thread: boolean;
  readonly createdUntil: boolean;
  /** With a thread. */
  readonly carriedUntil: boolean;
  readonly labels: number;
  readonly limit: boolean;
}

/** Newest first, of a thread in its order (B16). Parameters in the order of the shape. */
export function selectRuns({ runs, labels }: Tables, shape: ListShape): string {
  const conditions = ["TRUE"];
  if (shape.statuses !== undefined) conditions.push(`r.status IN (${placeholders(shape.statuses)})`);
  if (shape.graph) conditions.push("r.graph_key = ?");
  if (shape.thread) conditions.push("r.thread_key = ?");
  if (shape.createdUntil) conditions.push("r.created_at <= ?");
  if (shape.carriedUntil) conditions.push("r.carried_up_to <= ?");
  for (let i = 0; i < shape.labels; i += 1) {
    conditions.push(`EXISTS (SELECT 1 FROM ${labels} AS l WHERE l.label_key = ? AND l.run = r.n)`);
  }
  return `
SELECT ${runColumns} FROM ${runs} AS r
WHERE ${conditions.join("\n  AND ")}
ORDER BY ${shape.thread ? "r.carried_up_to" : "r.created_at"} DESC, r.n DESC${shape.limit ? "\nLIMIT ?" : ""}`;
}

/** No status at all: none is wanted. */
function placeholders(count: number): string {
  return count === 0 ? "''" : Array.from({ length: count }, () => "?").join(", ");
}
