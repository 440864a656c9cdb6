import type { Action, GraphDefinition, Rule } from "../format/definition.ts";
import { targets } from "./body.ts";
import { evaluate } from "./expression.ts";

/** The nodes that a branch leads to with this state; `"END"` may be among them. */
export function decide(rules: readonly Rule[], state: Readonly<Record<string, unknown>>): readonly string[] {
  const rule = rules.find(({ when }) => when === undefined || evaluate(when, { state, names: {} }) === true);
  return rule === undefined ? [] : targets(rule.to);
}

/** Every node that the rules can lead to. */
export function reachableBy(rules: readonly Rule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ to }) => targets(to)))];
}

/** Every node that a body can go to or send to. */
export function reachableFrom(actions: readonly Action[]): readonly string[] {
  return [...new Set(actions.flatMap(targetsOf))];
}

function targetsOf(action: Action): readonly string[] {
  if ("if" in action) return [...action.do, ...(action.else ?? [])].flatMap(targetsOf);
  if ("goto" in action) return targets(action.goto);
  return "send" in action ? [action.send] : [];
}

/** Entries as a list of names, unless they are decided by a branch. */
export function fixedEntries({ entry }: GraphDefinition): readonly string[] | undefined {
  if (typeof entry === "string") return [entry];
  return "rules" in entry ? undefined : entry;
}
