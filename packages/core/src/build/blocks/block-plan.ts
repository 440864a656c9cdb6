import type { BlockPlan } from "../../model/plan.ts";

/** What a block opens; `own`: what is particular to it. */
export function blockPlan(scopes: readonly number[], own: Partial<BlockPlan> = {}): BlockPlan {
  return { scopes, outputs: [], forwards: [], through: -1, results: [], max: 1, onLimit: "fail", ...own };
}
