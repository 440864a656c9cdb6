import type { Plan } from "../../model/plan.ts";
import type { RunState } from "../../state/run-state.ts";
import { constantsOf } from "./constants.ts";
import { Budget, DataWriter } from "./data.ts";
import type { Field } from "./fields.ts";
import { kinds, type NodeKind } from "./nodes.ts";
import { runFields } from "./run-fields.ts";

/** Gives every object a number, the root 1, and writes each once: first what is met first. */
export class StateWriter {
  readonly #budget: Budget;
  readonly #data: DataWriter;
  readonly #ids: Map<object, number> = new Map();
  readonly #found: { readonly kind: NodeKind<object>; readonly object: object }[] = [];

  constructor(budget: Budget, plan: Plan) {
    this.#budget = budget;
    this.#data = new DataWriter(budget, constantsOf(plan));
  }

  data(value: unknown): unknown {
    return this.#data.write(value);
  }

  /** Its number; 0: there is none. */
  node<T extends object>(kind: NodeKind<T>, object: T | null): number {
    if (object === null) return 0;
    const known = this.#ids.get(object);
    if (known !== undefined) return known;
    this.#found.push({ kind: kind, object });
    this.#ids.set(object, this.#found.length);
    return this.#found.length;
  }

  /** All that was given a number, and what they refer to. Then everything is written. */
  nodes(): unknown[] {
    const nodes: unknown[] = [];
    for (let i = 0; i < this.#found.length; i++) {
      const { kind, object } = this.#found[i] as { kind: NodeKind<object>; object: object };
      this.#budget.spend(24);
      nodes.push([kinds.indexOf(kind), kind.head(object), ...this.fields(kind.fields, object)]);
    }
    this.#data.finish();
    return nodes;
  }

  fields<T extends object>(fields: NodeKind<T>["fields"], object: T): unknown[] {
    const saved: unknown[] = [];
    for (const name in fields)
      saved.push((fields[name] as Field<unknown, T>).save(this, (object as Record<string, unknown>)[name], object));
    return saved;
  }
}

/**
 * The state between two steps, as one line of JSON. The same state gives the same text.
 *
 * @throws OverBudget when it would be longer than about `characters`
 * @throws MillraceError `Unencodable` when it holds what the codec cannot keep
 */
export function saveState(run: RunState, characters: number): string {
  const writer = new StateWriter(new Budget(characters), run.program.plan);
  const fields = writer.fields(runFields, run);
  return JSON.stringify([fields, writer.nodes()]);
}
