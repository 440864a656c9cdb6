import { SlotKind, type Plan } from "../../../src/model/plan.ts";
import type { Happening } from "../../../src/testing/reference/happening.ts";
import type { Verdict } from "../../../src/testing/simulate.ts";

/** What cases were about: a property of nothing would hold too. */
export class Tally {
  cases = 0;
  records = 0;
  crashes = 0;
  /** Resumed with bodies in flight; with bodies of a called graph in flight. */
  resumed = 0;
  resumedInSubgraph = 0;
  /** Resumed with bodies in flight in an arm or an iteration. */
  resumedInBlock = 0;
  /** Choices of arms, iterations that were not the last, and races that were won. */
  chosen = 0;
  wentOn = 0;
  won = 0;
  /** Calls whose clock ran, and those that did not end in time. */
  timed = 0;
  expired = 0;
  /** Failures that a fallback may have handled. */
  handled = 0;
  drained = 0;
  retried = 0;
  dropped = 0;
  completed = 0;
  failed = 0;
  orderFree = 0;

  add(verdict: Verdict): void {
    const { lives, journal, graph } = verdict;
    this.cases++;
    this.records += journal.happenings.length;
    this.crashes += lives.filter(({ end }) => end === "crash").length;
    this.drained += lives.filter(({ status }) => status === "drained").length;
    if (graph.orderFree) this.orderFree++;
    const last = journal.happenings.at(-1);
    if (last?.kind === "ended" && last.status === "completed") this.completed++;
    if (last?.kind === "ended" && last.status === "failed") this.failed++;
    this.#addHappenings(verdict);
  }

  #addHappenings({ journal, graph }: Verdict): void {
    for (const happening of journal.happenings) {
      if (happening.kind === "dropped") this.dropped++;
      else if (happening.kind === "decision") this.#addDecision(graph.plan, happening);
      else if (happening.kind === "timerSet") this.timed++;
      else if (happening.kind === "attemptFailed") this.#addFailed(graph.plan, happening);
      else if (happening.kind === "resumed" && happening.inFlight.length > 0) {
        this.resumed++;
        if (happening.inFlight.some(([slot]) => graph.plan.slots[slot]?.name.includes("/"))) this.resumedInSubgraph++;
        if (happening.inFlight.some(([slot]) => isInBlock(graph.plan, slot))) this.resumedInBlock++;
      } else if (happening.kind === "ended" && happening.status !== "drained")
        this.handled += happening.errors.filter(({ handled }) => handled).length;
    }
  }

  #addFailed({ slots }: Plan, { slot, retryAt }: Extract<Happening, { kind: "attemptFailed" }>): void {
    if (retryAt !== null) this.retried++;
    else if (slots[slot]?.kind === SlotKind.bounded) this.expired++;
  }

  #addDecision({ slots }: Plan, { slot, choice }: Extract<Happening, { kind: "decision" }>): void {
    const kind = slots[slot]?.kind;
    if (kind === SlotKind.choose) this.chosen++;
    else if (kind === SlotKind.race) this.won++;
    else if (choice === 0) this.wentOn++;
  }

  /** What there was too little of, per case. */
  get tooFew(): string[] {
    return Object.entries(leastPerCase).flatMap(([what, least]) =>
      this[what as keyof typeof leastPerCase] / this.cases < least ? [what] : [],
    );
  }
}

function isInBlock({ scopes, slots }: Plan, slot: number): boolean {
  for (let at = scopes[slots[slot]?.scope ?? 0]; at !== undefined; at = scopes[at.parent])
    if (at.block >= 0) return true;
  return false;
}

const leastPerCase = {
  records: 8,
  crashes: 0.6,
  resumed: 0.4,
  resumedInSubgraph: 0.05,
  resumedInBlock: 0.1,
  chosen: 0.5,
  wentOn: 0.3,
  won: 0.1,
  timed: 0.03,
  expired: 0.005,
  handled: 0.2,
  drained: 0.02,
  retried: 0.2,
  dropped: 0.01,
  completed: 0.4,
  failed: 0.1,
  orderFree: 0.3,
} as const;
