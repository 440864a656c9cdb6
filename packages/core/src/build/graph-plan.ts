import type { GraphPlan } from "../model/op.ts";
import type { Plan } from "../model/plan.ts";
import { mermaidOf } from "./mermaid.ts";
import { planJson } from "./plan-json.ts";

/** The public view of a plan. */
export function graphPlan(plan: Plan, title: string | undefined): GraphPlan {
  const { name, fingerprint, findings } = plan;
  return Object.freeze({
    name,
    fingerprint,
    findings,
    mermaid: () => mermaidOf(plan, title),
    toJSON: () => planJson(plan),
  });
}
