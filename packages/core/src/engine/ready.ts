/** What must be there before anything of a plan runs. */
import type { Plan } from "../model/plan.ts";
import { executorFor } from "../runtime/elsewhere.ts";
import type { Host } from "../runtime/host.ts";

/** Is there something that the runs of this plan have to wait for? */
export function waitsForHost(plan: Plan): boolean {
  return plan.resources.length > 0 || plan.elsewhere.length > 0;
}

/** Refuses a plan that needs what the engine was not given. */
export function checkHost(host: Host, plan: Plan): void {
  host.resources.checkPlan(plan);
  executorFor(host, plan);
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
