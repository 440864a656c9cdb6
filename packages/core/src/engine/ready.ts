/** What must be there before anything of a plan runs. */
import { errorOf } from "../base/error.ts";
import { namesOf } from "../journal/lineage.ts";
import { constantsOf } from "../journal/snapshot/constants.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend } from "../ports/backend.ts";
import { executorFor } from "../runtime/elsewhere.ts";
import type { Host } from "../runtime/host.ts";
import { programOf } from "../state/program.ts";
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

/**
 * Opens it. While that is waited for, what the runs of these graphs and their journals are read with is made, which is milliseconds for a
 * graph of a thousand nodes: whoever takes one of them up need not wait for it.
 */
export async function backendReady(backend: Backend, { entropy, clock }: Host, plans: Iterable<Plan>): Promise<void> {
  const opened = backend.open(entropy.runId(clock.now()));
  for (const plan of plans) tablesReady(plan);
  await opened;
}

function tablesReady(plan: Plan): void {
  programOf(plan);
  namesOf(plan);
  constantsOf(plan);
}
