import { errorOf, type MillraceError } from "../base/error.ts";
import type { GraphNames } from "../events/record.ts";
import type { Plan, SlotPlan } from "../model/plan.ts";

/** Which graph the records that are being read speak of, and what its slots are in the plan at hand. */
export class RecordedGraph {
  readonly #plan: Plan;
  /** Not frozen, since every record reads it. */
  readonly #planSlots: readonly SlotPlan[];
  #names: ReadonlyMap<number, string> = new Map();
  /** Null: the recorded graph is the plan. */
  #slots: ReadonlyMap<number, number> | null = null;
  fingerprint = "";

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#planSlots = plan.slots.slice();
  }

  /** From here on, records speak of that graph. */
  become({ fingerprint, nodes }: GraphNames): void {
    this.fingerprint = fingerprint;
    this.#names = new Map(nodes);
    this.#slots = fingerprint === this.#plan.fingerprint ? null : byName(this.#plan, nodes);
  }

  get changed(): boolean {
    return this.#slots !== null;
  }

  nameOf(slot: number): string {
    return this.#names.get(slot) ?? `#${slot}`;
  }

  /** The plan's slot for a recorded one. */
  slot(recorded: number): SlotPlan | undefined {
    const id = this.#slots === null ? recorded : this.#slots.get(recorded);
    return id === undefined ? undefined : this.#planSlots[id];
  }
}

function byName(plan: Plan, nodes: GraphNames["nodes"]): ReadonlyMap<number, number> {
  const ids = new Map(namesOf(plan).nodes.map(([id, name]) => [name, id]));
  return new Map(
    nodes.flatMap(([recorded, name]) => (ids.has(name) ? [[recorded, ids.get(name) as number] as const] : [])),
  );
}

/** What a journal keeps of a graph. */
export function namesOf(plan: Plan): GraphNames {
  return {
    fingerprint: plan.fingerprint,
    nodes: plan.slots.filter((slot) => slot.name !== "").map((slot) => [slot.id, slot.name] as const),
  };
}

export function fingerprintMismatch(runId: string, graph: string, recorded: string, plan: Plan): MillraceError {
  return errorOf("FingerprintMismatch", { runId, graph, recorded, fingerprint: plan.fingerprint });
}
