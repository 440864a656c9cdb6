import type { OpSpec } from "../model/op-spec.ts";
import type { Plan } from "../model/plan.ts";
import type { CallPolicies } from "../model/policies.ts";
import type { StandardSchemaV1 } from "../model/standard-schema.ts";

/** What `op()` was given. */
export interface OpDefinition {
  readonly type: "op";
  readonly name: string;
  readonly spec: OpSpec;
  /** Policies of a call that adds none. */
  readonly policies: CallPolicies;
  /** Built when the op is first run by itself. */
  plan: Plan | null;
}

/** What `graph()` was given. */
export interface GraphDefinition {
  readonly type: "graph";
  readonly name: string;
  readonly title: string | undefined;
  readonly schema: StandardSchemaV1 | null;
  /** As it was given. */
  readonly migrate?: unknown;
  readonly body: (input: never) => unknown;
  plan: Plan | null;
}

type Definition = OpDefinition | GraphDefinition;

const definitions = new WeakMap<object, Definition>();

export function define(callable: object, definition: Definition): void {
  definitions.set(callable, definition);
}

/** What `value` was made from, if `op()` or `graph()` made it. */
export function definitionOf(value: unknown): Definition | undefined {
  return typeof value === "function" ? definitions.get(value) : undefined;
}
