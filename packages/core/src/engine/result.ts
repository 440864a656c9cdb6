import { errorOf, type MillraceError } from "../base/error.ts";
import type { ErrorEntry } from "../events/record.ts";
import type { RunTags } from "../model/tags.ts";
import type { Output } from "../model/ref.ts";
import type { Outcome } from "../runtime/outcome.ts";
import type { Failure } from "../state/failure.ts";
import { CellState } from "../state/cell.ts";
import type { RunState } from "../state/run-state.ts";
import type { Cells, RunResult } from "./api.ts";

export function resultOf<O>(outcome: Outcome, cells: Cells, tags: RunTags | null): RunResult<O> {
  const result: RunResult<O> = untagged(outcome, cells);
  if (tags === null) return result;
  const { traceId, labels } = tags;
  return { ...result, ...(traceId !== null && { traceId }), ...(labels !== null && { labels }) };
}

function untagged<O>(outcome: Outcome, cells: Cells): RunResult<O> {
  const { status, errors } = outcome;
  if (status === "completed") return { status, output: outcome.output as Output<O>, errors, cells };
  if (status === "cancelled") return { status, reason: outcome.reason, errors, cells };
  if (status === "interrupted") return { status, interrupts: outcome.interrupts ?? [], errors, cells };
  return { status, errors, cells };
}

/** What the cells of a run hold now, by name; one that nothing was pushed to holds its initial value. */
export function cellsOf(run: RunState): Cells {
  const { cells } = run.program.plan;
  return Object.fromEntries(
    cells.flatMap((cell, i) => {
      try {
        return [[cell.name, (run.cells?.[i] ?? new CellState(cell, run.thread?.carried ?? run.carried)).read()]];
      } catch {
        // What a cell shows is its author's function (`orderedBy`); a result is not lost for it.
        return [];
      }
    }),
  );
}

/** What `engine.run` and `handle.output` throw when there is no output: the same object for every caller. */
export function outcomeError(runId: string, graph: string, outcome: Outcome, raised: Failure | null): MillraceError {
  if (outcome.status === "cancelled") return errorOf("RunCancelled", { runId, graph, reason: outcome.reason });
  if (outcome.status === "drained") return errorOf("RunDrained", { runId, graph });
  if (outcome.status === "interrupted") return errorOf("RunInterrupted", { runId, graph });
  const root = rootError(graph, outcome.errors, raised);
  if (root === undefined) return errorOf("RunFailed", { runId, graph });
  const others = outcome.errors.length - 1;
  const more = others > 0 ? ` (and failures in ${others} more ${others === 1 ? "node" : "nodes"})` : "";
  const { node, path, message } = root;
  if (isOfRun(graph, root)) return errorOf("JournalLimit.run", { runId, graph, message }, root);
  return errorOf(
    root.code === "Stalled" ? "Stalled.run" : "OpFailed",
    { node, graph, path, type: kindOf(root), message, more },
    root,
  );
}

/** What is at fault beside a node, and is told of at the node because it has no name of its own. */
const besideNodes: ReadonlySet<string> = new Set(["EdgeFailed", "ReduceFailed", "ReducerFailed"]);

/** The type of what was thrown, behind what threw it when that is not the node's own body. */
function kindOf({ code, type }: ErrorEntry): string {
  return besideNodes.has(code) && type !== code ? `${code}: ${type}` : type;
}

/** Of no node: the engine ended it. */
function isOfRun(graph: string, { code, node, path }: ErrorEntry): boolean {
  return code === "JournalLimit" && node === graph && path === graph;
}

function rootError(graph: string, errors: readonly ErrorEntry[], raised: Failure | null): ErrorEntry | undefined {
  const named = raised === null ? undefined : errors.find((entry) => entry.node === raised.error.node);
  // Failures of nodes did not end the run then.
  const ofRun = errors.find((entry) => isOfRun(graph, entry));
  return ofRun ?? named ?? errors.find((entry) => !entry.handled && entry.cause === undefined) ?? errors[0];
}

/** A warning of failures that nobody may hear of: of a run that completed, or whose handle nobody holds. */
export function unheardOf(
  run: { readonly runId: string; readonly graph: string; readonly recovered: boolean },
  { status, errors }: Outcome,
): string | undefined {
  const mayBeHeard = status !== "completed" && !(status === "failed" && run.recovered);
  return mayBeHeard ? undefined : unhandledWarning(run.runId, run.graph, errors);
}

/** One line per node for failures that nothing handled, and one per cause of them; or undefined. */
function unhandledWarning(runId: string, graph: string, errors: readonly ErrorEntry[]): string | undefined {
  const unhandled = errors.filter((entry) => !entry.handled && entry.cause === undefined);
  if (unhandled.length === 0) return undefined;
  const lines = unhandled.flatMap((entry) => [
    `  ${entry.node} failed ${entry.count === 1 ? "once" : `${entry.count} times`}, first at ${entry.path}: ${kindOf(entry)}: ${entry.message}`,
    ...(entry.causes ?? []).map((cause) => `    caused by ${cause}`),
  ]);
  return [`millrace: run ${runId} of "${graph}" has failures that nothing handles:`, ...lines].join("\n");
}
