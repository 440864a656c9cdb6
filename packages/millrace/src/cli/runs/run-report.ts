/** One run as a page for people. */
import { inspect } from "node:util";
import type { Origin, RunInfo } from "@millrace/core";
import { errorLines } from "./error-lines.ts";
import { bytes } from "../format/bytes.ts";
import { count } from "../format/number.ts";
import type { Paint, Span } from "../format/style.ts";
import { table } from "../format/table.ts";
import { head, indent, oneLine } from "../format/text.ts";
import { duration, isoTime } from "../format/time.ts";
import { nodeCounts } from "./node-counts.ts";
import { nodeTree } from "./node-tree.ts";
import { questionLines } from "./questions.ts";
import { labelsText } from "./labels-text.ts";
import { durationOf } from "./run-document.ts";
import { statusTone } from "./status-tone.ts";

/** Longer values are cut; `--json` has them whole. */
const valueLines = 20;

export function runReport(run: RunInfo, paint: Paint, cwd: string): string[] {
  const lines = [
    ...facts(run, paint),
    ...questions(run, paint),
    ...nodes(run, paint),
    ...errors(run, paint, cwd),
    ...value("input", run.input, paint),
  ];
  return run.status === "completed" ? [...lines, ...value("output", run.output, paint)] : lines;
}

function facts(run: RunInfo, paint: Paint): string[] {
  const rows: [string, string][] = [
    ["run", paint(run.id, "strong")],
    ["graph", `${run.graph}  ${paint(run.fingerprint, "quiet")}`],
    [
      "status",
      paint(run.status, statusTone(run.status)) + (run.reason === undefined ? "" : `  ${oneLine(run.reason)}`),
    ],
    ["created", isoTime(run.createdAt)],
    run.endedAt === null ? ["updated", isoTime(run.updatedAt)] : ["ended", isoTime(run.endedAt)],
    ["took", duration(durationOf(run))],
    ...(run.traceId === null ? [] : [["trace", run.traceId] satisfies [string, string]]),
    ...(run.labels === null ? [] : [["labels", labelsText(run.labels)] satisfies [string, string]]),
    ...(run.forkedFrom === undefined ? [] : [["fork of", originText(run.forkedFrom)] satisfies [string, string]]),
    [
      "journal",
      `${count(run.lastSeq)} records, ${bytes(run.journalBytes)}${run.epoch > 1 ? `, taken over ${count(run.epoch - 1)}×` : ""}`,
    ],
  ];
  return rows.map(([name, text]) => `${paint(name.padEnd(8), "quiet")} ${text}`);
}

export function originText({ runId, seq }: Origin): string {
  return `${oneLine(runId)} behind record ${count(seq)}`;
}

function nodes(run: RunInfo, paint: Paint): string[] {
  const tree = nodeTree(nodeCounts(run));
  if (tree.length === 0) return [];
  const rows = tree.map(({ label, counts }): Span[] => [
    [`  ${label}`],
    [counts === undefined ? "" : count(counts.finished)],
    [counts === undefined || counts.failed === 0 ? "" : count(counts.failed), "bad"],
  ]);
  return [
    "",
    ...table(
      [{ title: "NODE" }, { title: "FINISHED", align: "right" }, { title: "FAILED", align: "right" }],
      rows,
      paint,
    ),
  ];
}

function questions(run: RunInfo, paint: Paint): string[] {
  if (run.interrupts.length === 0) return [];
  const now = Date.now();
  const lines = run.interrupts.flatMap((question) => questionLines(question, now, paint));
  return ["", paint("OPEN QUESTIONS", "quiet"), ...lines.map((line) => `  ${line}`)];
}

function errors(run: RunInfo, paint: Paint, cwd: string): string[] {
  if (run.errors.length === 0) return [];
  return [
    "",
    paint("ERRORS", "quiet"),
    ...run.errors.flatMap((entry) => errorLines(entry, paint, cwd).map((line) => `  ${line}`)),
  ];
}

/** As JavaScript shows it: the journal keeps more than JSON can say. */
function value(title: string, content: unknown, paint: Paint): string[] {
  const shown = inspect(content, {
    depth: 6,
    breakLength: 100,
    maxArrayLength: 50,
    maxStringLength: 1_000,
    colors: paint("x", "good") !== "x",
  });
  const { text, left } = head(shown, valueLines);
  const rest = left > 0 ? [paint(`  … ${count(left)} more lines; --json prints all`, "quiet")] : [];
  return ["", paint(title.toUpperCase(), "quiet"), indent(text, "  "), ...rest];
}
