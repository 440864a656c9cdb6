/**
 * What each cell comes to, from few rules: M1 what a node leaves, M2 what its place makes of that, M3 what is said of the
 * failure, M4 what ran, M5 what was aborted.
 */
import { isStream, type Cell, type Kind, type Place } from "./cells.ts";

export interface Verdict {
  readonly status: "completed" | "failed" | "cancelled";
  /** Present when completed. */
  readonly output?: unknown;
  readonly errors: readonly object[];
  /** Names of the nodes whose bodies began in a life without a crash, sorted, one per attempt. */
  readonly ran: readonly string[];
  readonly aborted: readonly string[];
}

const names: Record<Kind, string> = {
  sync: "inline",
  async: "later",
  generator: "items",
  "async generator": "laterItems",
  cpu: "cpu",
  subgraph: "sub/later",
};

const prefixes: Record<Place, string> = {
  root: "",
  item: "",
  loop: "turns/",
  arm: "gate/then/",
  race: "first/subject/",
  fallback: "safe/body/",
};

export function verdictOf(cell: Cell): Verdict {
  const { event, place } = cell;
  if (event === "cancel") return { status: "cancelled", errors: [], ran: begun(cell), aborted: begun(cell) };
  if (event === "sweep") return sweptVerdict(cell);
  if (event === "throw" || event === "timeout") return failedVerdict(cell);
  if (event === "interrupt" && place === "race") return won("rival", ["first/rival/rival"], []);
  return valueVerdict(cell);
}

/** M1, M2: everything is as if the node had had its value at once. */
function valueVerdict(cell: Cell): Verdict {
  const { place, event } = cell;
  const output = place === "item" ? [value(cell, "a"), value(cell, "b")] : value(cell, "a");
  const attempts = event === "retry-then-ok" ? 3 : 1;
  const ran = repeat(subject(cell), invocations(place) * attempts);
  if (place !== "race") return won(output, ran, []);
  // M5: the arm that comes too late; an inline body is over before the other arm was even opened.
  const lost = cell.kind === "sync" && event === "ok" ? [] : ["first/rival/rival"];
  return won(output, [...ran, ...lost], lost);
}

/** A node that hangs once per item of the stream whose items are swept: nothing is left of them, and nobody failed. */
function sweptVerdict(cell: Cell): Verdict {
  const ran = begun(cell);
  return { ...won([], [...ran, "go"], ran) };
}

/** M2, M3 */
function failedVerdict(cell: Cell): Verdict {
  const { event, place } = cell;
  const code = event === "throw" ? "E_NO" : "Timeout";
  const handled = place === "race" || place === "fallback";
  const count = place === "item" ? 2 : 1;
  const errors: object[] = [{ node: subject(cell), code, attempts: 1, count, handled }];
  if (cell.kind === "subgraph") errors.push({ node: subject(cell).replace(/\/later$/, ""), code: "SubgraphFailed", count, handled }); // prettier-ignore
  const ran = repeat(subject(cell), count);
  const aborted = event === "timeout" ? ran : [];
  if (place === "race") return { ...won("rival", [...ran, "first/rival/rival"], aborted), errors };
  if (place === "fallback") return { ...won(`caught ${code}`, ran, aborted), errors };
  return { status: "failed", errors, ran, aborted };
}

function won(out: unknown, ran: readonly string[], aborted: readonly string[]): Verdict {
  return { status: "completed", output: { out }, errors: [], ran: ran.toSorted(), aborted: aborted.toSorted() };
}

/** What is at work when everything hangs. */
function begun(cell: Cell): string[] {
  // Blocks in items stand in lanes of one: the second item never gets that far.
  const count = cell.place === "item" ? 2 : 1;
  const ran = repeat(subject(cell), count);
  return (cell.place === "race" ? [...ran, ...repeat("first/rival/rival", count)] : ran).toSorted();
}

function subject({ kind, place }: Cell): string {
  return prefixes[place] + names[kind];
}

function invocations(place: Place): number {
  return place === "item" || place === "loop" ? 2 : 1;
}

function value({ kind }: Cell, x: string): unknown {
  return isStream(kind) ? [`${x}1`, `${x}2`] : `${x}!`;
}

function repeat(name: string, times: number): string[] {
  return Array.from({ length: times }, () => name);
}
