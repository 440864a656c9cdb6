/** Says which include and exclude patterns name no node: a secret that one of them was to keep back is traced. */
import { nearest } from "../../base/name.ts";
import { SlotKind, type Plan } from "../../model/plan.ts";
import type { FieldPattern } from "./fields.ts";
import type { TraceOptions } from "../api.ts";

const shownNames = 12;

interface Pattern {
  /** As it is written, with the option it is in: `exclude "login.input"`. */
  readonly label: string;
  readonly node: string;
}

/**
 * Every graph is looked at once, when the engine is told of it: all that it was opened with together, others when their
 * first run starts. A pattern that matches a node in one of them is right, whatever the others have.
 */
export class UnmatchedPatterns {
  readonly #warn: (text: string) => void;
  readonly #seen: WeakSet<Plan> = new WeakSet();
  #unmatched: readonly Pattern[];

  /** The patterns are valid. */
  constructor({ include = [], exclude = [] }: TraceOptions, warn: (text: string) => void) {
    this.#warn = warn;
    this.#unmatched = [...patternsOf("include", include), ...patternsOf("exclude", exclude)];
  }

  sees(plans: readonly Plan[]): void {
    if (this.#unmatched.length === 0) return;
    const fresh = plans.filter((plan) => !this.#seen.has(plan));
    if (fresh.length === 0) return;
    for (const plan of fresh) this.#seen.add(plan);
    const names = new Set(fresh.flatMap(tracedNames));
    this.#unmatched = this.#unmatched.filter(({ node }) => !names.has(node));
    for (const pattern of this.#unmatched) this.#warn(textOf(pattern, fresh, [...names]));
  }
}

function patternsOf(option: string, patterns: readonly FieldPattern[]): Pattern[] {
  return patterns
    .map((text) => ({ label: `${option} ${JSON.stringify(text)}`, node: text.split(".")[0] as string }))
    .filter(({ node }) => node !== "*");
}

/** Of nodes that have values in a trace. */
function tracedNames({ slots }: Plan): string[] {
  return slots
    .filter(({ name, kind }) => name !== "" && kind !== SlotKind.push && kind !== SlotKind.read)
    .map(({ name }) => name);
}

function textOf({ label, node }: Pattern, plans: readonly Plan[], names: readonly string[]): string {
  const graphs = plans.map(({ name }) => `"${name}"`).join(" or ");
  const near = nearNames(node, names);
  const meant = near.length === 0 ? "" : `did you mean ${near.join(" or ")}? `;
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : "";
  return `millrace: traces.${label} matches no node of ${graphs}; ${meant}the nodes are ${names.slice(0, shownNames).join(", ")}${more}`;
}

/** A node in a subgraph or block is called with their names in front, which are easily left out. */
function nearNames(node: string, names: readonly string[]): readonly string[] {
  const lastPart = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
  const whole = nearest(node, names);
  const last = nearest(node, names.map(lastPart));
  const scoped = names.filter((name) => lastPart(name) === last).slice(0, 3);
  return whole !== undefined && last !== node ? [whole] : scoped;
}
