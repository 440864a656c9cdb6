import { columnsText, numberText, spanText } from "../../src/harness/table.ts";
import { ratioOf, type Comparison, type Result } from "./comparison.ts";

const header = ["figure", "Millrace", "LangGraph.js", "unit", "times", "target", "", "ratios", "load"];
const numbers = new Set([1, 2, 4]);

export function tableOf(rows: readonly { comparison: Comparison; result: Result }[]): string {
  return columnsText([header, ...rows.map(({ comparison, result }) => rowOf(comparison, result))], numbers);
}

function rowOf({ name, unit, target }: Comparison, result: Result): string[] {
  const ratio = ratioOf(result);
  return [
    name,
    numberText(result.millrace),
    numberText(result.langgraph),
    unit,
    numberText(ratio),
    `≥${target}×`,
    ratio < target ? "missed" : "ok",
    spanText(result.ratios),
    spanText(result.load),
  ];
}

/** One line of `--json`. */
export function jsonLine({ name, unit, target }: Comparison, result: Result): string {
  const { millrace, langgraph, load } = result;
  return JSON.stringify({ name, unit, millrace, langgraph, ratio: ratioOf(result), target, load });
}
