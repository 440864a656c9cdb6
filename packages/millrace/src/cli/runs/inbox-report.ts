/** The open questions of all runs, for people and for programs. */
import type { OpenQuestion } from "@millrace/core";
import type { Paint } from "../format/style.ts";
import { oneLine } from "../format/text.ts";
import { questionDocument, questionLines } from "./questions.ts";

/** Each under its run and graph, as `show` has them. */
export function inboxReport(questions: readonly OpenQuestion[], now: number, paint: Paint): string[] {
  return questions.flatMap((question, index) => [
    ...(index === 0 ? [] : [""]),
    `${paint(oneLine(question.runId), "strong")}  ${oneLine(question.graph)}`,
    ...questionLines(question, now, paint).map((line) => `  ${line}`),
  ]);
}

/** Field names are stable; times are ISO 8601 in UTC (F34). */
export function inboxDocument(question: OpenQuestion): Record<string, unknown> {
  const { runId, graph, status } = question;
  return { run: runId, graph, status, ...questionDocument(question) };
}
