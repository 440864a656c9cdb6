/** What a stored run has come to, as its row and journal say. */
import { errorOf } from "../base/error.ts";
import type { Interrupt } from "../events/interrupt.ts";
import { foldJournal } from "../journal/fold.ts";
import { endedStatuses, type Backend, type RunRow, type RunStatus } from "../ports/backend.ts";
import type { Outcome } from "../runtime/outcome.ts";

/** Where a run can stand for long without anybody who drives it. */
const atRest: ReadonlySet<RunStatus> = new Set<RunStatus>(["interrupted", "drained"]);
/** Where it stands until somebody names it. */
const onHold: ReadonlySet<RunStatus> = new Set<RunStatus>(["quarantined", "needs_review"]);

/** It has ended, or waits for the outside. One that somebody is taking up just now goes on. */
export function isOver({ status, owner }: RunRow): boolean {
  return endedStatuses.has(status) || (atRest.has(status) && owner === null);
}

/** @throws MillraceError `RunOnHold` */
export function checkGoesOn({ id, status }: RunRow): void {
  if (onHold.has(status)) throw errorOf("RunOnHold", { runId: id, status });
}

/** Of a run that is over. */
export async function storedOutcome(backend: Backend, row: RunRow): Promise<Outcome> {
  const { status, output, errors, reason = "", interrupts } = await foldJournal(backend, row);
  return { status: status as Outcome["status"], output, errors, reason, interrupts };
}

/** As they were told while the run was driven: every reader is told the same. */
export function asTold(outcome: Outcome): Outcome {
  const interrupts = outcome.interrupts?.map(({ askedAt: _askedAt, ...told }): Interrupt => told);
  return { ...outcome, ...(interrupts !== undefined && { interrupts }) };
}
