/** A trace as text for people. */
import type { Trace, TraceAttempt, TraceError, TraceInvocation, TraceRun } from "@millrace/core";
import { count, plural } from "../format/number.ts";
import type { Paint, Tone } from "../format/style.ts";
import { oneLine } from "../format/text.ts";
import { duration, isoTime } from "../format/time.ts";
import { labelsText } from "../runs/labels-text.ts";
import { type Branch, isTroubled, traceTree } from "./trace-tree.ts";

/** Items of one stream that are shown; those with trouble go first, `--json` has all. */
const shownItems = 20;
const shownValue = 120;

const tones: Readonly<Record<TraceInvocation["status"], Tone>> = {
  running: "active",
  retrying: "warn",
  waiting: "active",
  finished: "good",
  failed: "bad",
  skipped: "warn",
  absent: "quiet",
  swept: "quiet",
  untaken: "quiet",
};

export function traceReport(trace: Trace, paint: Paint, showFrame: (frame: string) => string): string[] {
  const { run } = trace;
  const took = run.endedAt === null ? "" : `  took ${duration(run.endedAt - run.startedAt)}`;
  const head = `run ${paint(run.runId, "strong")}  ${run.graph}  ${run.status}  ${isoTime(run.startedAt)}${took}`;
  const printer = new Printer(paint, showFrame);
  const dropped = run.dropped === 0 ? [] : [paint(`… ${count(run.dropped)} more did not fit into the trace`, "quiet")];
  return [head, ...marksOf(run, paint), ...printer.below(traceTree(trace), ""), ...dropped];
}

/** `  trace 4bf92f  user=ann` */
function marksOf({ traceId, labels }: TraceRun, paint: Paint): string[] {
  const marks = [...(traceId === null ? [] : [`trace ${traceId}`]), ...(labels === null ? [] : [labelsText(labels)])];
  return marks.length === 0 ? [] : [paint(`  ${marks.join("  ")}`, "quiet")];
}

class Printer {
  readonly #paint: Paint;
  readonly #showFrame: (frame: string) => string;

  constructor(paint: Paint, showFrame: (frame: string) => string) {
    this.#paint = paint;
    this.#showFrame = showFrame;
  }

  below(branch: Branch, indent: string): string[] {
    const children = [...branch.children.values()];
    const items = children.filter(({ name }) => name.startsWith("["));
    const shown = new Set(items.length <= shownItems ? items : chosen(items));
    const left = items.length - shown.size;
    return [
      ...children
        .filter((child) => !items.includes(child) || shown.has(child))
        .flatMap((child) => this.#branch(child, indent)),
      ...(left === 0 ? [] : [`${indent}${this.#paint(`… ${plural(left, "more item")}`, "quiet")}`]),
    ];
  }

  #branch(branch: Branch, indent: string): string[] {
    const { name, invocation, item } = branch;
    const inner = `${indent}  `;
    const output = item?.output ?? null;
    const yielded = output === null ? "" : `  ${this.#value(output)}`;
    if (invocation === undefined) return [`${indent}${name}${yielded}`, ...this.below(branch, inner)];
    return [
      `${indent}${this.#paint(name, "strong")}  ${this.#status(invocation)}`,
      ...this.#attempts(branch.attempts, invocation, inner),
      ...this.#values(invocation, inner),
      ...this.below(branch, inner),
    ];
  }

  #status(invocation: TraceInvocation): string {
    const { status, startedAt, endedAt, attempts, yields, because, at, cached } = invocation;
    const facts = [this.#paint(status, tones[status])];
    if (because !== null)
      facts.push(`because ${because} failed${at === null ? "" : this.#paint(` at ${at}`, "quiet")}`);
    if (cached) facts.push(this.#paint("from the cache", "quiet"));
    if (startedAt !== null && endedAt !== null) facts.push(duration(endedAt - startedAt));
    if (attempts > 1) facts.push(plural(attempts, "attempt"));
    if (yields > 0) facts.push(plural(yields, "item"));
    return facts.join("  ");
  }

  /** One attempt without an error says nothing that the node's own line does not. */
  #attempts(attempts: readonly TraceAttempt[], { error, status }: TraceInvocation, indent: string): string[] {
    if (attempts.length < 2) return status === "failed" && error !== null ? this.#error(error, indent, "") : [];
    return attempts.flatMap((attempt) => {
      const took =
        attempt.startedAt === null || attempt.endedAt === null
          ? ""
          : ` after ${duration(attempt.endedAt - attempt.startedAt)}`;
      const again = attempt.retryInMs === null ? "" : `, again in ${duration(attempt.retryInMs)}`;
      const lead = `attempt ${attempt.attempt}`;
      if (attempt.error !== null) return this.#error(attempt.error, indent, `${lead} failed${took}${again}: `);
      return [`${indent}${lead} ${attempt.endedAt === null ? "is running" : `finished${took}`}`];
    });
  }

  /** Type and message, then where in the user's own files, then what was behind it. */
  #error({ type, message, frames, causes = [] }: TraceError, indent: string, lead: string): string[] {
    return [
      `${indent}${lead}${this.#paint(type, "bad")}: ${oneLine(message)}`,
      ...frames.map((frame) => `${indent}  ${this.#paint(`at ${this.#showFrame(frame)}`, "quiet")}`),
      ...causes.map((cause) => `${indent}  ${this.#paint(`caused by ${oneLine(cause)}`, "quiet")}`),
    ];
  }

  #values({ input, output }: TraceInvocation, indent: string): string[] {
    return [
      ...(input === null ? [] : [`${indent}in   ${this.#value(input)}`]),
      ...(output === null ? [] : [`${indent}out  ${this.#value(output)}`]),
    ];
  }

  #value(json: string): string {
    const text = oneLine(json);
    return this.#paint(text.length > shownValue ? `${text.slice(0, shownValue)}…` : text, "quiet");
  }
}

/** Those with trouble first; then in the order in which they came. */
function chosen(items: readonly Branch[]): Branch[] {
  const troubled = items.filter(isTroubled);
  const others = items.filter((item) => !troubled.includes(item));
  return [...troubled, ...others].slice(0, shownItems);
}
