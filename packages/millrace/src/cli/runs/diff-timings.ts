/** How long two runs took, and their nodes, as far as both were traced. */
import type { ComparedRun, RunComparison, Trace } from "@millrace/core";
import type { Cli } from "../cli.ts";
import type { Paint, Span } from "../format/style.ts";
import { table } from "../format/table.ts";
import { oneLine } from "../format/text.ts";
import { duration } from "../format/time.ts";

/** Milliseconds; null: unknown. */
export interface Timing {
  readonly a: number | null;
  readonly b: number | null;
}

export interface Timings {
  /** From its creation to its end, or to its last record. */
  readonly run: Timing;
  /** By node: all its invocations together. Undefined: one of the runs has no trace in this project. */
  readonly nodes: ReadonlyMap<string, Timing> | undefined;
}

export async function timingsOf(cli: Cli, { a, b }: Pick<RunComparison, "a" | "b">): Promise<Timings> {
  const { projectTracesFile, readTrace } = await import("@millrace/core/node");
  const file = projectTracesFile(cli.cwd);
  const [one, other] = [readTrace(file, a.id), readTrace(file, b.id)];
  const nodes = one === undefined || other === undefined ? undefined : byNode(totals(one), totals(other));
  return { run: { a: took(a), b: took(b) }, nodes };
}

function took({ createdAt, updatedAt, endedAt }: ComparedRun): number {
  return (endedAt ?? updatedAt) - createdAt;
}

/** Of those that were seen from their beginning to their end. */
function totals({ invocations }: Trace): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { node, kind, startedAt, endedAt } of invocations)
    if (kind === "op" && startedAt !== null && endedAt !== null)
      sums.set(node, (sums.get(node) ?? 0) + endedAt - startedAt);
  return sums;
}

function byNode(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, Timing> {
  const nodes = new Set([...a.keys(), ...b.keys()]);
  return new Map(Array.from(nodes, (node) => [node, { a: a.get(node) ?? null, b: b.get(node) ?? null }]));
}

export function timingLines({ run, nodes }: Timings, paint: Paint): string[] {
  const row = (name: string, { a, b }: Timing): Span[] => [[`  ${oneLine(name)}`], [text(a)], [text(b)]];
  const columns = [{ title: "TIMINGS" }, { title: "A", align: "right" }, { title: "B", align: "right" }] as const;
  const rows = [row("the run", run), ...Array.from(nodes ?? [], ([name, timing]) => row(name, timing))];
  const note = "  of nodes nothing is known: not both runs were traced in this project";
  return ["", ...table(columns, rows, paint), ...(nodes === undefined ? [paint(note, "quiet")] : [])];
}

function text(ms: number | null): string {
  return ms === null ? "" : duration(ms);
}

/** Milliseconds. */
export function timingsDocument({ run, nodes }: Timings): Record<string, unknown> {
  return { runMs: run, nodesMs: nodes === undefined ? null : Object.fromEntries(nodes) };
}
