/** Whether a run would go on with other code, for people and for programs. */
import type { RunVerdict } from "@millrace/core";
import type { Paint } from "../format/style.ts";
import { list, oneLine } from "../format/text.ts";

export function verdictLines(verdict: RunVerdict, paint: Paint): string[] {
  const { runId, graph, status, detail = "" } = verdict;
  const lines = [
    `${paint(verdict.verdict, "bad")}  ${oneLine(runId)}  ${oneLine(graph)}  ${status}`,
    `  ${oneLine(detail)}`,
  ];
  if (verdict.verdict !== "changed") return lines;
  const { gone = [], added = [], refusal } = verdict;
  if (gone.length > 0) lines.push(`  ${paint("gone:", "quiet")} ${list(gone.map(oneLine))}`);
  if (added.length > 0) lines.push(`  ${paint("new:", "quiet")} ${list(added.map(oneLine))}`);
  if (gone.length + added.length === 0)
    lines.push("  its nodes are the same: edges, blocks, versions or settings differ");
  lines.push(
    refusal === undefined
      ? `  ${paint("hint:", "quiet")} with --allow-graph-change it would go on, if what has finished still means the same`
      : `  also with --allow-graph-change it would not go on: ${oneLine(refusal)}`,
  );
  return lines;
}

/** Field names are stable. */
export function verdictDocument(found: RunVerdict): Record<string, unknown> {
  const { runId, graph, status, verdict, code, detail, gone, added, refusal } = found;
  return {
    run: runId,
    graph,
    status,
    verdict,
    ...(code !== undefined && { code, detail }),
    ...(verdict === "changed" && { gone, added, allowed: refusal === undefined }),
    ...(refusal !== undefined && { refusal }),
  };
}
