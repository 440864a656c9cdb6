/** What `fork`, `history` and `stateAt` take. */
import type { Labels } from "../model/tags.ts";
import { checkCap, checkKeys, objectOf, shown, wrong } from "./option-checks.ts";
import { checkRunId } from "./options.ts";

/** What is different in a fork. */
export interface ForkPatch {
  /** In place of the run's input; checked by the graph's input schema. */
  readonly input?: unknown;
  /**
   * By path: what an op is to have given, checked by its output schema; of a generator, the list of its items, or
   * `{ items, final }` with what it returns. An op that had not finished, or not even begun, does not run either.
   */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** By name: what a cell holds where the fork begins. What was read before stays as it was read. */
  readonly cells?: Readonly<Record<string, unknown>>;
}

export interface ForkOptions {
  /**
   * The record behind which the fork leaves the run, from 1; one within a batch (an event and what it made the run decide)
   * counts as the last of it. Default: the last record that is durable.
   */
  readonly at?: number;
  readonly patch?: ForkPatch;
  /**
   * Paths of ops, questions and graph calls with a time limit that are done again, with all that depends on them: to try
   * failed ones once more.
   */
  readonly rerun?: readonly string[];
  /** As for `start`. */
  readonly id?: string;
  /** Default: those of the run. */
  readonly labels?: Labels;
  /** Default: that of the run. */
  readonly traceId?: string;
}

export interface HistoryOptions {
  /** The first record to give. Default 1. */
  readonly from?: number;
  /** At most so many. Default: all. */
  readonly limit?: number;
  /**
   * Whether values over 64 KiB, which are kept apart, and outputs that a thread carries are fetched: without, an entry says `large` in place of its value.
   * Default true.
   */
  readonly blobs?: boolean;
}

export interface StateOptions {
  /** At most so many outputs, the latest. Default 1,000. */
  readonly limit?: number;
}

const example = 'for example { at: 12, patch: { outputs: { "research/plan": { urls: [] } } } }';

export function checkForkOptions(options: ForkOptions): void {
  checkKeys("fork", options, ["at", "patch", "rerun", "id", "labels", "traceId"]);
  checkSeqOption("at", options.at);
  if (options.id !== undefined) checkRunId(options.id);
  if (options.patch !== undefined) checkPatch(options.patch);
  const rerun: unknown = options.rerun ?? [];
  if (!Array.isArray(rerun) || !rerun.every((path) => typeof path === "string"))
    throw wrong(`rerun must be a list of paths, not ${shown(rerun)}`, 'for example rerun: ["research/summarize"]');
}

function checkPatch(patch: ForkPatch): void {
  objectOf("patch", patch, example);
  checkKeys("patch", patch, ["input", "outputs", "cells"]);
  if (patch.outputs !== undefined) objectOf("patch.outputs", patch.outputs, example);
  if (patch.cells !== undefined) objectOf("patch.cells", patch.cells, "for example patch: { cells: { total: 0 } }");
}

export function checkHistoryOptions(options: HistoryOptions): void {
  checkKeys("history", options, ["from", "limit", "blobs"]);
  checkSeqOption("from", options.from);
  checkCap("limit", options.limit);
  const blobs: unknown = options.blobs ?? true;
  if (typeof blobs !== "boolean") throw wrong(`blobs must be true or false, not ${shown(blobs)}`);
}

export function checkStateOptions(options: StateOptions): void {
  checkKeys("stateAt", options, ["limit"]);
  checkCap("limit", options.limit);
}

function checkSeqOption(name: string, seq: unknown): void {
  if (seq !== undefined && !(typeof seq === "number" && Number.isSafeInteger(seq) && seq >= 1))
    throw wrong(`${name} must be the number of a record, 1 or more, not ${shown(seq)}`);
}
