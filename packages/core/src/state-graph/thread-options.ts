/** Options of the calls of a thread, checked before anything is read or done. */
import { parseDuration, type Duration } from "../base/duration.ts";
import { checkLabels } from "../engine/tags.ts";
import { checkCap, checkChoice, checkKeys, shown, wrong } from "../engine/option-checks.ts";
import type { RunOptions } from "../engine/api.ts";
import type { Labels } from "../model/tags.ts";
import type { GraphEventsOptions } from "./graph-events.ts";

/** How a turn begins. */
export interface TurnOptions extends Pick<RunOptions, "id" | "signal" | "context" | "labels" | "traceId"> {
  /** A checkpoint to go on from, by its id. Default: the newest of the thread. */
  readonly at?: string;
  /** Most supersteps of this turn. Default: the graph's. */
  readonly limit?: number;
}

export interface UpdateOptions<N extends string = string> {
  /**
   * The node in whose name the update is made: what follows that one runs next. Default: those whose superstep ended with the
   * checkpoint.
   */
  readonly asNode?: N;
  /** A checkpoint to write on, by its id. Default: the newest of the thread. */
  readonly at?: string;
  /** Who writes: journaled, and told by the checkpoint. */
  readonly by?: string;
  /** Of the run that writes. */
  readonly labels?: Labels;
  /**
   * How long to wait for a turn, or another update, that is being run in the thread. Default 1 s: longer than any update takes.
   * 0: it is refused at once, as `ThreadBusy`.
   */
  readonly wait?: Duration;
}

export interface CheckpointsOptions {
  /** At most so many. Default 100. */
  readonly limit?: number;
  /** Only those made before this one, by its id; with `order: "oldest"`, after it. */
  readonly before?: string;
  /** Default `newest`. */
  readonly order?: "newest" | "oldest";
}

const ofTurns = ["id", "signal", "context", "labels", "traceId", "at", "limit"];

/** @throws MillraceError `InvalidOption` */
export function checkTurnOptions(options: TurnOptions): TurnOptions {
  checkKeys("start() of a thread", options, ofTurns);
  checkText("at", options.at);
  return options;
}

/** @throws MillraceError `InvalidOption` */
export function checkPage(options: CheckpointsOptions): CheckpointsOptions {
  checkKeys("history() of a thread", options, ["limit", "before", "order"]);
  checkCap("limit of history()", options.limit);
  checkChoice("order of history()", options.order, ["newest", "oldest"]);
  checkText("before", options.before);
  return options;
}

/** @throws MillraceError `InvalidOption` */
export function checkAnswerOptions(options: { readonly by?: string }): { readonly by?: string } {
  checkKeys("answer() of a thread", options, ["by"]);
  checkText("by", options.by);
  return options;
}

/** @throws MillraceError `InvalidOption` */
export function checkEventsOptions(options: GraphEventsOptions): GraphEventsOptions {
  checkKeys("events() of a thread", options, ["after", "cancelOnBreak", "buffer", "signal"]);
  return options;
}

/** @throws MillraceError `InvalidOption` */
export function checkUpdateOptions(options: UpdateOptions): UpdateOptions {
  checkKeys("update() of a thread", options, ["asNode", "at", "by", "labels", "wait"]);
  checkText("asNode", options.asNode);
  checkText("at", options.at);
  checkText("by", options.by);
  if (options.labels !== undefined) checkLabels(options.labels);
  if (options.wait !== undefined) parseDuration(options.wait, "wait of update()");
  return options;
}

function checkText(name: string, value: unknown): void {
  if (value !== undefined && (typeof value !== "string" || value === "" || !value.isWellFormed()))
    throw wrong(`${name} must be a text, not ${shown(value)}`);
}
