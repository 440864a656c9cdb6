/** A run as it stood behind one of its records, for people and for programs. */
import type { RunAt } from "@millrace/core";
import { plain } from "../format/json.ts";
import { factLines } from "../format/facts.ts";
import { count, plural } from "../format/number.ts";
import { shortJson } from "../format/short-json.ts";
import type { Paint } from "../format/style.ts";
import { oneLine } from "../format/text.ts";
import { errorLines } from "./error-lines.ts";
import type { Redact } from "./history-lines.ts";
import { questionDocument, questionLines } from "./questions.ts";
import { errorDocument } from "./run-document.ts";
import { statusTone } from "./status-tone.ts";

/** Longer values are cut; `--json` has them whole. */
const valueLength = 300;

interface Shown {
  readonly paint: Paint;
  readonly redact: Redact;
  readonly cwd: string;
  readonly now: number;
  /** Records that the run has by now. */
  readonly last: number;
}

export function stateReport(state: RunAt, shown: Shown): string[] {
  const { paint, redact, last } = shown;
  const facts: [string, string][] = [
    ["run", paint(state.runId, "strong")],
    ["graph", state.graph],
    ["record", `${count(state.seq)} of ${count(last)}`],
    ["status", paint(state.status, statusTone(state.status))],
    ["input", shortJson(redact(state.input), valueLength)],
    ...(state.status === "completed"
      ? [["output", shortJson(redact(state.output), valueLength)] satisfies [string, string]]
      : []),
  ];
  return [
    ...factLines(facts, paint),
    ...section("CELLS", valueLines(redact(state.cells) as Values, paint), paint),
    ...section(
      "OUTPUTS",
      [...leftOut(state, paint), ...valueLines(withoutSecrets(state.outputs, redact), paint)],
      paint,
    ),
    ...section(
      "OPEN QUESTIONS",
      state.interrupts.flatMap((question) => questionLines(question, shown.now, paint)),
      paint,
    ),
    ...section(
      "ERRORS",
      state.errors.flatMap((entry) => errorLines(entry, paint, shown.cwd)),
      paint,
    ),
  ];
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ["", paint(title, "quiet"), ...lines.map((line) => `  ${line}`)];
}

type Values = Readonly<Record<string, unknown>>;

/** Their names are paths, and no names of secrets. */
function withoutSecrets(outputs: Values, redact: Redact): Values {
  return Object.fromEntries(Object.entries(outputs).map(([path, value]) => [path, redact(value)]));
}

function valueLines(values: Values, paint: Paint): string[] {
  return Object.entries(values).map(
    ([name, value]) => `${paint(oneLine(name), "strong")}  ${shortJson(value, valueLength)}`,
  );
}

function leftOut({ more }: RunAt, paint: Paint): string[] {
  return more === 0 ? [] : [paint(`… ${plural(more, "earlier output")}; --limit shows more`, "quiet")];
}

/** Field names are stable; times are ISO 8601 in UTC (F34). */
export function stateDocument(state: RunAt, redact: Redact): Record<string, unknown> {
  const { runId, graph, seq, status, input, cells, outputs, more, interrupts, errors, output } = state;
  return {
    id: runId,
    graph,
    seq,
    status,
    input: plain(redact(input)) ?? null,
    cells: plain(redact(cells)),
    outputs: plain(withoutSecrets(outputs, redact)),
    more,
    interrupts: interrupts.map((question) => questionDocument({ ...question, payload: redact(question.payload) })),
    errors: errors.map(errorDocument),
    ...(status === "completed" && { output: plain(redact(output)) ?? null }),
  };
}
