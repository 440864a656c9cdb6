import { rebuildRun, type Rebuilt } from "../journal/rebuild.ts";
import type { WriterPosition } from "../journal/writer-position.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Host } from "../runtime/host.ts";
import { RunObserver } from "../runtime/observe.ts";
import type { RunState } from "../state/run-state.ts";
import type { EngineOptions } from "./api.ts";

/** How a run is gone on with. `released`: its owner before had not died. */
export interface TakeOver {
  readonly plan: Plan;
  readonly allowGraphChange: boolean;
  readonly released: boolean;
}

/** The state of a run that this engine goes on with; its observer is told of all that is replayed. */
export function rebuildLive(
  { observer, clock }: Host,
  { check }: Pick<EngineOptions, "check">,
  backend: Backend,
  row: RunRow,
  { plan, allowGraphChange }: Pick<TakeOver, "plan" | "allowGraphChange">,
): Promise<Rebuilt> {
  const { traceId, labels, thread } = row;
  observer?.runStarted?.({ runId: row.id, graph: plan.name, replayed: true, traceId, labels, thread });
  const probe = observer === null ? null : (run: RunState) => new RunObserver([observer], clock, run);
  return rebuildRun(backend, row, plan, { allowGraphChange, owned: true, check: check ?? null, probe });
}

/** Where its writer goes on. */
export function continuation({
  change,
  graph,
  logged,
  size,
  limits,
}: Rebuilt): Pick<WriterPosition, "logged" | "graphChange" | "recorded" | "size" | "limits"> {
  return { logged, graphChange: change, recorded: graph, size, limits };
}
