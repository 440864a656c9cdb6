/** What a fork keeps and what it does, before it is made. */
import type { ForkPreview } from "@millrace/core";
import { count } from "../format/number.ts";
import type { Paint, Span } from "../format/style.ts";
import { table } from "../format/table.ts";
import { list, oneLine } from "../format/text.ts";
import type { ForkRequest } from "./begin-fork.ts";

/** More paths than these are counted. */
const shownStarts = 5;

type Different = ForkRequest["fork"];

/**
 * ```
 * fork of ann behind record 3, with another output of draft
 *   NODE     KEPT  AGAIN
 *   draft       1
 *   approve            1
 * begins with letter/approve
 * ```
 */
export function forkReport(preview: ForkPreview, fork: Different, paint: Paint): string[] {
  const { runId, seq, kept, again } = preview;
  const different = differences(fork);
  const head = `fork of ${paint(runId, "strong")} behind record ${count(seq)}`;
  const names = [...new Set([...Object.keys(kept), ...Object.keys(again)])];
  const rows = names.map((name): Span[] => [
    [`  ${oneLine(name)}`],
    [number(kept[name]), "good"],
    [number(again[name]), "warn"],
  ]);
  const columns = [{ title: "  NODE" }, { title: "KEPT", align: "right" }, { title: "AGAIN", align: "right" }] as const;
  return [
    different.length === 0 ? head : `${head}, with ${list(different)}`,
    ...(rows.length === 0 ? ["  nothing of it is kept"] : table(columns, rows, paint)),
    starts(preview),
  ];
}

function number(value: number | undefined): string {
  return value === undefined ? "" : count(value);
}

function differences({ patch = {}, rerun = [] }: Different): string[] {
  return [
    ...(Object.hasOwn(patch, "input") ? ["another input"] : []),
    ...Object.keys(patch.outputs ?? {}).map((name) => `another output of ${oneLine(name)}`),
    ...Object.keys(patch.cells ?? {}).map((name) => `another value of cell ${oneLine(name)}`),
    ...(rerun.length === 0 ? [] : [`${some(rerun)} done again`]),
  ];
}

function starts({ starts: paths, more, ends }: ForkPreview): string {
  if (ends !== undefined) return `nothing runs: it is ${ends} at once`;
  const left = more + Math.max(0, paths.length - shownStarts);
  return paths.length === 0 ? "nothing begins at once" : `begins with ${some(paths, left)}`;
}

function some(paths: readonly string[], left: number = Math.max(0, paths.length - shownStarts)): string {
  return list([...paths.slice(0, shownStarts).map(oneLine), ...(left > 0 ? [`${count(left)} more`] : [])]);
}

/** Field names are stable. */
export function forkDocument(preview: ForkPreview, { patch = {}, rerun = [] }: Different): Record<string, unknown> {
  const { runId, graph, seq, kept, again, starts: paths, more, ends } = preview;
  return {
    run: runId,
    graph,
    at: seq,
    kept,
    again,
    starts: paths,
    more,
    ends: ends ?? null,
    set: [
      ...(Object.hasOwn(patch, "input") ? ["input"] : []),
      ...Object.keys(patch.outputs ?? {}),
      ...Object.keys(patch.cells ?? {}).map((name) => `cell.${name}`),
    ],
    rerun,
  };
}
