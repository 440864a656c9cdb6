/** Waits for what another process does with a run. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RunRow, RunStatus } from "@millrace/core";
import type { Store } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { duration } from "../format/time.ts";
import { ExitCode } from "../exit.ts";

const everyMs = 200;
const atRest: ReadonlySet<RunStatus> = new Set<RunStatus>(["interrupted", "drained", "quarantined", "needs_review"]);

export interface Wait {
  readonly runId: string;
  /** Milliseconds; undefined: as long as it takes. */
  readonly timeout: number | undefined;
  /** What is waited for, for the message: `run one to end`. */
  readonly what: string;
  readonly is: (row: RunRow) => boolean;
}

export async function waitFor(
  { backend }: Pick<Store, "backend">,
  { runId, timeout, what, is }: Wait,
): Promise<RunRow> {
  const end = timeout === undefined ? Infinity : performance.now() + timeout;
  for (;;) {
    const row = await backend.get(runId);
    if (row === undefined) throw gone(runId);
    if (is(row)) return row;
    if (performance.now() >= end) throw timedOut(what, timeout ?? 0, row);
    await sleep(everyMs);
  }
}

/** It has ended, or nobody will go on with it by themselves. */
export function isSettled(row: RunRow): boolean {
  return row.endedAt !== null || (row.owner === null && atRest.has(row.status));
}

function gone(runId: string): CliFailure {
  return new CliFailure("RunNotFound", `run ${runId} was deleted meanwhile`, { exit: ExitCode.notFound });
}

function timedOut(what: string, timeout: number, { status }: RunRow): CliFailure {
  return new CliFailure("WaitTimeout", `waited ${duration(timeout)} for ${what}; it is ${status}`, {
    exit: ExitCode.timeout,
    hint: "what was said to it stands: it is taken up when an engine that has its graph comes to it",
  });
}
