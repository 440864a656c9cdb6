import { planOf } from "../build/plan-of.ts";
import { errorOf, MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import type { Runnable } from "../model/op.ts";
import type { Plan } from "../model/plan.ts";
import type { RunRow } from "../ports/backend.ts";

/** The graphs an engine can continue runs of, by name. */
export class Graphs {
  readonly #plans: Map<string, Plan> = new Map();

  constructor(graphs: readonly Runnable<never, unknown>[]) {
    for (const graph of graphs) this.#add(planOf(graph));
  }

  #add(plan: Plan): void {
    const known = this.#plans.get(plan.name);
    if (known !== undefined && known.fingerprint !== plan.fingerprint) {
      throw new MillraceError("InvalidOption", `two graphs are named "${plan.name}"`, {
        hint: "the name finds a run's graph when it is resumed; give each graph its own",
      });
    }
    this.#plans.set(plan.name, plan);
  }

  get size(): number {
    return this.#plans.size;
  }

  find(name: string): Plan | undefined {
    return this.#plans.get(name);
  }

  all(): Iterable<Plan> {
    return this.#plans.values();
  }

  of(row: RunRow): Plan {
    const plan = this.#plans.get(row.graph);
    if (plan !== undefined) return plan;
    const names = [...this.#plans.keys()];
    const close = nearest(row.graph, names);
    const has =
      names.length === 0
        ? "it was opened without graphs"
        : `it has ${names.join(", ")}${close === undefined ? "" : `; did you mean "${close}"?`}`;
    throw errorOf("UnknownGraph", { runId: row.id, graph: row.graph, has });
  }
}
