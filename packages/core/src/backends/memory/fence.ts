import { endedStatuses } from "../../ports/backend.ts";
import { type Fenced, type FenceRequest, fenceStep } from "../../ports/fence.ts";
import { hint, type Store } from "./store.ts";

/** B15 */
export function fenceAll(store: Store, { resume, at }: FenceRequest): Fenced {
  const open = [...store.runs.values()].filter(({ row }) => !endedStatuses.has(row.status));
  const owned = open.filter(({ row }) => row.owner !== null).length;
  for (const run of open) {
    const fenced = { ...run.row, epoch: run.row.epoch + fenceStep, owner: null, attempts: 0, updatedAt: at };
    run.row = resume ? fenced : { ...fenced, status: "needs_review", wakeAt: null };
    run.holdUntil = 0;
  }
  hint(store);
  return { runs: open.length, owned };
}
