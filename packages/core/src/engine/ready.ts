/** What must be there before anything of a plan runs. */
import { errorOf } from "../base/error.ts";
import type { Plan } from "../model/plan.ts";
import { executorFor } from "../runtime/elsewhere.ts";
import type { Host } from "../runtime/host.ts";
import type { EngineOptions } from "./api.ts";

/** Is there something that the runs of this plan have to wait for? */
export function waitsForHost(plan: Plan): boolean {
  return plan.resources.length > 0 || plan.elsewhere.length > 0;
}

/** Refuses a plan that needs what the engine was not given. */
export function checkHost(host: Host, plan: Plan, { durability }: EngineOptions): void {
  checkDurability(plan, durability);
  host.resources.checkPlan(plan);
  executorFor(host, plan);
}

/**
 * Gives the plan, unless its runs need records that are durable before they end.
 *
 * @throws MillraceError `DurabilityTooWeak`
 */
export function checkDurability(plan: Plan, durability: EngineOptions["durability"]): Plan {
  if (durability !== "exit") return plan;
  const unsafe = plan.slots.filter(({ op }) => op?.effect === "unsafe").map(({ name }) => `"${name}"`);
  if (unsafe.length > 0) throw errorOf("DurabilityTooWeak", { graph: plan.name, nodes: unsafe.join(", ") });
  const live = plan.slots.find(({ op }) => op?.live !== undefined);
  if (live !== undefined) throw errorOf("DurabilityTooWeak.live", { graph: plan.name, node: live.name });
  return plan;
}

/** A module that does not load keeps the engine from opening. */
export async function workersReady(host: Host, plan: Plan): Promise<void> {
  await executorFor(host, plan)?.prepare(plan.elsewhere);
}

/** Makes what is not made yet. */
export async function hostReady(host: Host, plan: Plan): Promise<void> {
  await host.resources.ready(plan);
  await workersReady(host, plan);
}
