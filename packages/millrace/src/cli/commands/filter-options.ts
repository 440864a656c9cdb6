/** Options by which commands choose among runs. */
import { InvalidArgumentError, Option } from "commander";
import type { RunStatus } from "@millrace/core";

// Core is loaded only by commands that need it, so that --help is quick; that is why its list is not imported.
const statuses: readonly RunStatus[] = [
  "queued",
  "running",
  "interrupted",
  "drained",
  "completed",
  "failed",
  "cancelled",
  "discarded",
  "quarantined",
  "needs_review",
];

/** The statuses of runs that have ended. */
export const ended: readonly RunStatus[] = ["completed", "failed", "cancelled", "discarded"];

export function statusOption(known: readonly RunStatus[] = statuses): Option {
  return new Option("--status <list>", `only these, separated by commas: ${known.join(", ")}`).argParser((text) =>
    parseStatuses(text, known),
  );
}

export function limitOption(otherwise: number | undefined, description = "at most this many"): Option {
  const option = new Option("--limit <n>", description).argParser(parseLimit);
  return otherwise === undefined ? option : option.default(otherwise);
}

/** The number of a record, or so many of them. */
export function recordOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseRecord);
}

/** `500ms`, `30s`, `5m`, `12h`, `30d`: milliseconds. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseDuration);
}

function parseStatuses(text: string, known: readonly RunStatus[]): RunStatus[] {
  return text.split(",").map((word) => {
    const status = known.find((each) => each === word.trim());
    if (status === undefined)
      throw new InvalidArgumentError(`${JSON.stringify(word)} is no status; there are ${known.join(", ")}.`);
    return status;
  });
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000)
    throw new InvalidArgumentError("it is a whole number from 1 on.");
  return limit;
}

function parseRecord(text: string): number {
  const seq = Number(text);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new InvalidArgumentError("it is a whole number from 1 on.");
  return seq;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const ms = Number(amount) * (units[unit ?? ""] ?? Number.NaN);
  if (!Number.isSafeInteger(Math.round(ms)))
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no duration; write 30s, 5m, 12h or 30d.`);
  return Math.round(ms);
}
