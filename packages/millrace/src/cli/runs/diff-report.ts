/** What differs between two runs, for people and for programs. */
import type { ComparedRun, ComparedSide, RunComparison, RunDifference } from "@millrace/core";
import { count } from "../format/number.ts";
import { shortJson } from "../format/short-json.ts";
import type { Paint } from "../format/style.ts";
import { table } from "../format/table.ts";
import { oneLine } from "../format/text.ts";
import { isoTime } from "../format/time.ts";
import { type Change, type Changes, valueDiff } from "../format/value-diff.ts";
import { placeOf, type Redact } from "./history-lines.ts";
import { originText } from "./run-report.ts";
import { statusTone } from "./status-tone.ts";

const ofText = { changes: 20, length: 80 } as const;
const ofJson = { changes: 100, length: 1_000 } as const;

/**
 * ```
 * a  ann    letter  completed    8 records
 * b  hello  letter  interrupted  4 records  fork of ann behind record 8
 * 2 the same, 4 different
 * ```
 */
export function headLines({ a, b, common, different }: RunComparison, paint: Paint): string[] {
  const columns = ["", "RUN", "GRAPH", "STATUS", "RECORDS", ""].map((title) => ({ title }));
  const rows = [["a", a] as const, ["b", b] as const].map(([name, run]) => [
    [name, "quiet"] as const,
    [oneLine(run.id), "strong"] as const,
    [oneLine(run.graph)] as const,
    [run.status, statusTone(run.status)] as const,
    [count(run.records)] as const,
    [run.forkedFrom === undefined ? "" : `fork of ${originText(run.forkedFrom)}`, "quiet"] as const,
  ]);
  const changed = a.graph === b.graph && a.fingerprint !== b.fingerprint;
  return [
    ...table(columns, rows, paint),
    ...(changed ? [paint(`the graph ${oneLine(a.graph)} was changed between them`, "warn")] : []),
    `${count(common)} the same, ${paint(`${count(different)} different`, different === 0 ? "good" : "warn")}`,
  ];
}

/**
 * ```
 * result of letter/draft
 *   .text  "Dear Ann" → "Hello Ann"
 * ```
 */
export function differenceLines(
  difference: RunDifference,
  { a, b }: Pick<RunComparison, "a" | "b">,
  redact: Redact,
  paint: Paint,
): string[] {
  const head = paint(titleOf(difference), "strong");
  const only = difference.b === undefined ? a.id : difference.a === undefined ? b.id : undefined;
  if (only !== undefined) {
    const said = shortSide(difference.a ?? difference.b ?? {}, redact);
    return ["", `${head}  ${paint(`only in ${oneLine(only)}`, "warn")}${said === "" ? "" : `  ${said}`}`];
  }
  const { changes, more } = changesOf(difference, redact, ofText);
  const lines = changes.map((change) => changeLine(change, paint));
  return ["", head, ...lines, ...(more ? [paint("  … and more", "quiet")] : [])];
}

function titleOf(difference: RunDifference): string {
  const { what, node, path, index } = difference;
  const item = index === undefined ? "" : ` ${index}`;
  if (node === "") return what === "end" ? "how they ended" : what;
  return `${what}${item} of ${oneLine(path ?? placeOf(difference))}`;
}

function changeLine({ path, a, b, cut }: Change, paint: Paint): string {
  const side = (value: unknown): string => (cut === true ? oneLine(String(value)) : shortJson(value, ofText.length));
  const lead = path === "" ? "" : `${paint(oneLine(path), "quiet")}  `;
  if (a === undefined) return `  ${lead}${paint("+", "good")} ${side(b)}`;
  if (b === undefined) return `  ${lead}${paint("-", "bad")} ${side(a)}`;
  return `  ${lead}${paint(side(a), "bad")} → ${paint(side(b), "good")}`;
}

function changesOf({ a = {}, b = {} }: RunDifference, redact: Redact, bounds: typeof ofText | typeof ofJson): Changes {
  const [one, other] = [plainSide(a, redact), plainSide(b, redact)];
  const valuesOnly = [one, other].every((side) => Object.keys(side).join() === "value");
  return valuesOnly ? valueDiff(one["value"], other["value"], bounds) : valueDiff(one, other, bounds);
}

/** Who answered is no difference. */
function plainSide(side: ComparedSide, redact: Redact): Record<string, unknown> {
  const told = Object.entries(side).filter(([name]) => name !== "by");
  return Object.fromEntries(told.map(([name, value]) => [name, name === "value" ? redact(value) : value]));
}

function shortSide(side: ComparedSide, redact: Redact): string {
  const { error, value, choice, by, ...others } = plainAll(side, redact);
  if (error !== undefined) return oneLine(`${error.code}: ${error.message}`).slice(0, 200);
  if (choice !== undefined) return `choice ${choice}`;
  const rest = Object.values(others).join(" ");
  const said = by === undefined || by === "" ? "" : `by ${oneLine(by)} `;
  return Object.hasOwn(side, "value") ? said + shortJson(value, ofText.length) : rest;
}

function plainAll(side: ComparedSide, redact: Redact): ComparedSide {
  return Object.hasOwn(side, "value") ? { ...side, value: redact(side.value) } : side;
}

/** Field names are stable; times are ISO 8601 in UTC (F34). */
export function comparisonDocument({ a, b, common, different }: RunComparison): Record<string, unknown> {
  return { same: different === 0, common, different, a: runDocument(a), b: runDocument(b) };
}

function runDocument({ createdAt, updatedAt, endedAt, ...run }: ComparedRun): Record<string, unknown> {
  return {
    ...run,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    endedAt: endedAt === null ? null : isoTime(endedAt),
  };
}

/** `only`: what one run says and the other does not, cut; `changes`: where what both say differs. */
export function differenceDocument(difference: RunDifference, redact: Redact): Record<string, unknown> {
  const { what, node, items, path, index, a, b } = difference;
  const place = { what, node, items, ...(path !== undefined && { path }), ...(index !== undefined && { index }) };
  if (a !== undefined && b !== undefined) return { ...place, ...changesOf(difference, redact, ofJson) };
  const [change] = valueDiff(undefined, plainAll(a ?? b ?? {}, redact), ofJson).changes;
  return { ...place, only: a === undefined ? "b" : "a", says: change?.b ?? null };
}
