/** What a journal says and comes to, with the code as it is now. */
import { planOf } from "../../src/build/plan-of.ts";
import { cellsOf } from "../../src/engine/result.ts";
import { foldJournal, type Folded } from "../../src/journal/fold.ts";
import { rebuildRun } from "../../src/journal/rebuild.ts";
import { interruptsOf } from "../../src/runtime/questions.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import type { Backend, Interrupt, Runnable } from "../../src/index.ts";

export interface Replayed {
  readonly fold: Omit<Folded, "graph" | "bytes" | "fingerprint" | "forkedFrom">;
  /** Of the state that the records rebuild. */
  readonly end: unknown;
  readonly cells: unknown;
  readonly open: readonly Interrupt[];
}

export async function replayed(backend: Backend, runId: string, graph: Runnable<never, unknown>): Promise<Replayed> {
  const row = (await backend.get(runId))!;
  const { input, finished, failed, errors, output, reason, interrupts, answered, status } = await foldJournal(
    backend,
    row,
  );
  const options = { allowGraphChange: false, owned: true, probe: null, check: checkInvariants };
  const { run } = await rebuildRun(backend, row, planOf(graph), options);
  return {
    fold: { input, finished, failed, errors, output, reason, interrupts, answered, status },
    end: run.end === null ? null : { ...run.end },
    cells: cellsOf(run),
    open: interruptsOf(run),
  };
}
