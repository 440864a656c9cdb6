import type { Interrupt } from "../../events/interrupt.ts";
import { foldJournal } from "../../journal/fold.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Outcome } from "../../runtime/outcome.ts";
import type { Graphs } from "../graphs.ts";
import { runElsewhere, runNotFound } from "../run-errors.ts";
import type { StreamEvent, StreamMode, StreamOptions } from "./events.ts";
import type { Iteration } from "./iteration.ts";
import { streamOfStored } from "./open-stream.ts";

/** As it was told while the run was driven: every reader is told the same. */
function asTold(interrupt: Interrupt): Interrupt {
  const { askedAt: _askedAt, ...told } = interrupt;
  return told;
}

const rests: readonly RunRow["status"][] = ["completed", "failed", "cancelled", "drained", "interrupted"];

/** The stream of a run that nobody drives. */
export async function storedStream(
  { backend, clock, graphs }: { readonly backend: Backend; readonly clock: Clock; readonly graphs: Graphs },
  runId: string,
  modes: StreamMode | readonly StreamMode[],
  options: StreamOptions,
): Promise<Iteration<StreamEvent>> {
  const row = await backend.get(runId);
  if (row === undefined) throw runNotFound(runId, backend.name);
  if (!rests.includes(row.status)) throw runElsewhere(runId);
  const { output, errors, reason = "", interrupts } = await foldJournal(backend, row);
  const status = row.status as Outcome["status"];
  return streamOfStored(
    backend,
    row,
    { status, output, errors, reason, interrupts: interrupts.map(asTold) },
    graphs.of(row),
    clock,
    modes,
    options,
  );
}
