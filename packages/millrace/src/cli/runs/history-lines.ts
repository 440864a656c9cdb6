/** Records of a journal for people and for programs. */
import type { HistoryEntry, HistoryKind } from "@millrace/core";
import { plain } from "../format/json.ts";
import { shortJson } from "../format/short-json.ts";
import type { Paint, Tone } from "../format/style.ts";
import { oneLine } from "../format/text.ts";
import { columnTime, isoTime, timeZone } from "../format/time.ts";
import { errorDocument } from "./run-document.ts";
import { originText } from "./run-report.ts";

/** Hides secrets in what is shown. */
export type Redact = (value: unknown) => unknown;

/** Longer values are cut; `--json` has them whole. */
const valueLength = 100;

const words: Readonly<Record<HistoryKind, string>> = {
  started: "started",
  output: "output",
  frame: "item",
  eof: "items end",
  settled: "items end",
  brokenOff: "items failed",
  attemptFailed: "failed",
  dropped: "dropped",
  resumed: "taken up",
  cancelRequested: "cancel",
  drainRequested: "drain",
  ended: "ended",
  decision: "decided",
  timerSet: "sleeps",
  fired: "time over",
  asked: "asked",
  answered: "answered",
  withdrawn: "withdrawn",
  deadlineSet: "limit",
  finalizerOver: "time over",
  kept: "kept",
  snapshot: "snapshot",
  compacted: "compacted",
  cellSet: "cell set",
  unsafeStart: "begun",
  stopped: "stopped",
};
const wordWidth = 9;

const tones: Partial<Record<HistoryKind, Tone>> = {
  attemptFailed: "bad",
  stopped: "bad",
  brokenOff: "bad",
  asked: "warn",
  ended: "strong",
  decision: "quiet",
  kept: "quiet",
  snapshot: "quiet",
};

export class HistoryLines {
  readonly #paint: Paint;
  readonly #redact: Redact;
  readonly #width: number;

  /** `last`: the greatest number that comes. */
  constructor(paint: Paint, redact: Redact, last: number) {
    this.#paint = paint;
    this.#redact = redact;
    this.#width = Math.max(3, String(last).length);
  }

  get head(): string {
    const what = "WHAT".padEnd(wordWidth);
    return this.#paint(`${"SEQ".padStart(this.#width)}   ${`TIME (${timeZone})`.padEnd(19)}  ${what}  WHERE`, "quiet");
  }

  /** `  12 + 2025-03-01 12:00:00  output     research/plan  {"urls":[]}`; `+`: of one batch with the record above. */
  line(entry: HistoryEntry): string {
    const { seq, batch, kind, at, path } = entry;
    const time = (at === undefined ? "" : columnTime(at)).padEnd(19);
    const lead = `${String(seq).padStart(this.#width)} ${seq === batch ? " " : "+"} ${time}`;
    const word = (isRest(entry) ? "rests" : (words[kind] ?? kind)).padEnd(wordWidth);
    const where = path ?? placeOf(entry);
    const rest = [where === "" ? "" : oneLine(where), ...this.#details(entry)].filter((text) => text !== "");
    return `${lead}  ${this.#paint(word, tones[kind] ?? "plain")}  ${rest.join("  ")}`.trimEnd();
  }

  #details(entry: HistoryEntry): string[] {
    const facts = factsOf(entry).map((fact) => this.#paint(fact, "quiet"));
    if (entry.large === true) return [...facts, this.#paint("a large value; --json prints it", "quiet")];
    return Object.hasOwn(entry, "value") ? [...facts, shortJson(this.#redact(entry.value), valueLength)] : facts;
  }
}

/** It may go on. */
function isRest({ kind, status }: HistoryEntry): boolean {
  return kind === "ended" && (status === "interrupted" || status === "drained");
}

/** `fetchPage`, `fetchPage [3]`, `turns/reply [2,0]`: where the graph is not known. */
export function placeOf({ node = "", items = [] }: Pick<HistoryEntry, "node" | "items">): string {
  return items.length === 0 ? node : `${node} [${items.join(",")}]`;
}

function factsOf(entry: HistoryEntry): string[] {
  return [...ofRun(entry), ...ofNode(entry)];
}

function ofRun({ kind, graph, forkedFrom, epoch, status, reason, cell }: HistoryEntry): string[] {
  return [
    ...(kind === "started" && graph !== undefined ? [graph] : []),
    ...(forkedFrom === undefined ? [] : [`fork of ${originText(forkedFrom)}`]),
    ...(epoch === undefined ? [] : [`owner ${epoch}`]),
    ...(status === undefined ? [] : [status]),
    ...(reason === undefined || reason === "" ? [] : [oneLine(reason)]),
    ...(cell === undefined ? [] : [cell]),
  ];
}

function ofNode({ of, error, attempt, retryAt, due, by, choice, index }: HistoryEntry): string[] {
  return [
    ...(of === undefined ? [] : [`${words[of]}, for later`]),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(error === undefined ? [] : [oneLine(`${error.code}: ${error.message}`).slice(0, 200)]),
    ...(retryAt === undefined ? [] : [`again at ${isoTime(retryAt)}`]),
    ...(due === undefined ? [] : [`until ${isoTime(due)}`]),
    ...(by === undefined || by === "" ? [] : [`by ${oneLine(by)}`]),
    ...(choice === undefined ? [] : [`choice ${choice}`]),
    ...(index === undefined ? [] : [`item ${index}`]),
  ];
}

/** Field names are those of `engine.history`; times are ISO 8601 in UTC (F34). */
export function historyDocument(entry: HistoryEntry, redact: Redact): Record<string, unknown> {
  const { value, errors, forkedFrom, at, due, retryAt, ...plainFields } = entry;
  return {
    ...plainFields,
    ...(Object.hasOwn(entry, "value") && { value: plain(redact(value)) ?? null }),
    ...(errors !== undefined && { errors: errors.map(errorDocument) }),
    ...(forkedFrom !== undefined && { forkedFrom: plain(redact(forkedFrom)) }),
    ...times({ at, due, retryAt }),
  };
}

function times(fields: Readonly<Record<string, number | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, ms]) => (ms === undefined ? [] : [[name, isoTime(ms)] as const])),
  );
}
