import { SlotKind, type Plan } from "../../../src/model/plan.ts";
import type { Verdict as Said } from "../../../src/events/interrupt.ts";
import type { Happening } from "../../../src/testing/reference/happening.ts";
import type { RandomGraph } from "../../../src/testing/random-graph.ts";
import type { Durability } from "../../../src/runtime/outcome.ts";
import type { StoredJournal } from "../../../src/testing/simulate/journal.ts";
import type { Life } from "../../../src/testing/simulate/lives.ts";

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
  stopped = 0;
  completed = 0;
  failed = 0;
  orderFree = 0;
  /** Graphs with pairs of streams, with a stream that leaves a block, and sweeps that reached something. */
  zipped = 0;
  left = 0;
  /** With a stream of streams that leaves a block. */
  leftNested = 0;
  /** And such a stream, or one in its items, is paired or folded, inside or outside. */
  nestedPaired = 0;
  nestedFolded = 0;
  swept = 0;
  /** Sleeps that ended, questions that were answered by somebody, by nobody in time, or withdrawn, and runs put aside. */
  slept = 0;
  answered = 0;
  defaulted = 0;
  withdrawn = 0;
  parked = 0;
  /** Unsafe bodies that began, were asked about after a crash, and were said to have come to something, to run again, or to have failed. */
  begun = 0;
  inDoubt = 0;
  cameTo = 0;
  ranAgain = 0;
  saidFailed = 0;
  /** Bodies that were not begun a fourth time, and generators that were not begun again at all. */
  crashLoops = 0;
  notResumed = 0;
  /** Generators that went on behind the items they had yielded. */
  wentOnBehind = 0;
  /** Runs that finalizers were at work for, and those whose time was over. */
  finalized = 0;
  finalizersOver = 0;
  snapshots = 0;
  /** Resumed in the middle of a finalizer. */
  resumedInFinalizer = 0;
  /** Ephemeral generators that came to their end, or were broken off; what happened among their items, and in how many lanes it was told live. */
  settled = 0;
  brokenOff = 0;
  among = 0;
  toldLive = 0;
  /** Attempts of them that failed, and those that a crash began again. */
  reset = 0;
  begunAgain = 0;

  /** A case, and the runs that were in it. */
  add(graph: RandomGraph, ...journals: readonly StoredJournal[]): void {
    this.cases++;
    if (graph.orderFree) this.orderFree++;
    this.#addKinds(graph.plan);
    for (const journal of journals) this.#addJournal(graph.plan, journal);
  }

  /** Of a case with one engine after the other. */
  addLives(lives: readonly Life[]): void {
    this.crashes += lives.filter(({ end }) => end === "crash").length;
    this.drained += lives.filter(({ status }) => status === "drained").length;
    this.toldLive += lives.flatMap(({ told }) => told ?? []).filter(({ of }) => of !== undefined).length;
  }

  #addJournal(plan: Plan, journal: StoredJournal): void {
    this.records += journal.happenings.length;
    const last = journal.happenings.at(-1);
    if (last?.kind === "ended" && last.status === "completed") this.completed++;
    if (last?.kind === "ended" && last.status === "failed") this.failed++;
    this.#addHappenings(plan, journal);
  }

  #addEphemeral({ slots }: Plan, happening: Happening): void {
    const isEphemeral = (slot: number): boolean => slots[slot]?.op?.onResume === "ephemeral";
    if (happening.kind === "settled") this.settled++;
    else if (happening.kind === "brokenOff") this.brokenOff++;
    else if (happening.kind === "attemptFailed" && isEphemeral(happening.slot)) this.reset++;
    else if (happening.kind === "resumed")
      this.begunAgain += happening.inFlight.filter(([slot]) => isEphemeral(slot)).length;
    if (happening.kind === "settled" || happening.kind === "brokenOff") this.among += happening.asides?.length ?? 0;
  }

  #addKinds(plan: Plan): void {
    const { slots, finalizers } = plan;
    if (slots.some(({ zip }) => zip !== null)) this.zipped++;
    if (slots.some(({ kind, zip }) => kind === SlotKind.forward && zip === null)) this.left++;
    if (slots.some(({ feed }) => feed !== null && feed.outer >= 0)) this.leftNested++;
    const nested = nestedOf(plan);
    const pairs = slots.filter(({ zip }) => zip !== null);
    if (pairs.some(({ stream, fedBy }) => nested.has(stream) || fedBy?.some((id) => nested.has(streamOf(plan, id)))))
      this.nestedPaired++;
    if (slots.some(({ id, kind }) => kind === SlotKind.reduce && nested.has(streamOf(plan, id)))) this.nestedFolded++;
    if (finalizers.length > 0) this.finalized++;
  }

  #addResumed(plan: Plan, { inFlight }: Extract<Happening, { kind: "resumed" }>): void {
    this.resumed++;
    if (inFlight.some(([slot]) => plan.slots[slot]?.name.includes("/"))) this.resumedInSubgraph++;
    if (inFlight.some(([slot]) => isInFinalizer(plan, slot))) this.resumedInFinalizer++;
    if (inFlight.some(([slot]) => isInBlock(plan, slot))) this.resumedInBlock++;
  }

  #addWait(happening: Happening): void {
    if (happening.kind === "fired") this.slept++;
    else if (happening.kind === "withdrawn") this.withdrawn++;
    else if (happening.kind === "finalizerOver") this.finalizersOver++;
    else if (happening.kind === "ended" && happening.status === "interrupted") this.parked++;
    else if (happening.kind === "answered" && happening.by === "timeout") this.defaulted++;
    else if (happening.kind === "answered") this.answered++;
  }

  #addHappenings(plan: Plan, { happenings }: StoredJournal): void {
    const yielding = new Set<string>();
    for (const happening of happenings) {
      this.#addWait(happening);
      this.#addUnsafe(plan, happening);
      this.#addEphemeral(plan, happening);
      this.#addCursor(plan, happening, yielding);
      if (happening.kind === "dropped") this.dropped++;
      else if (happening.kind === "snapshot") this.snapshots++;
      else if (happening.kind === "stopped") this.stopped++;
      else if (happening.kind === "decision") this.#addDecision(plan, happening);
      else if (happening.kind === "timerSet") this.timed++;
      else if (happening.kind === "attemptFailed") this.#addFailed(plan, happening);
      else if (happening.kind === "resumed" && happening.inFlight.length > 0) {
        this.#addResumed(plan, happening);
      } else if (happening.kind === "ended" && happening.status !== "drained")
        this.handled += happening.errors.filter(({ handled }) => handled).length;
    }
  }

  #addUnsafe({ slots }: Plan, happening: Happening): void {
    if (happening.kind === "unsafeStart") this.begun++;
    else if (happening.kind === "asked" && happening.doubt > 0) this.inDoubt++;
    if (happening.kind !== "answered" || slots[happening.slot]?.kind !== SlotKind.op) return;
    const said = happening.value as Said;
    if ("output" in said) this.cameTo++;
    else if ("rerun" in said) this.ranAgain++;
    else this.saidFailed++;
  }

  #addCursor({ slots }: Plan, happening: Happening, yielding: Set<string>): void {
    if (happening.kind === "frame") yielding.add(`${happening.slot}@${String(happening.at)}`);
    else if (happening.kind === "eof") yielding.delete(`${happening.slot}@${String(happening.at)}`);
    else if (happening.kind === "resumed")
      this.wentOnBehind += happening.inFlight.filter(
        ([slot, at]) => slots[slot]?.op?.onResume === "cursor" && yielding.has(`${slot}@${String(at)}`),
      ).length;
  }

  #addFailed({ slots }: Plan, { slot, retryAt, error }: Extract<Happening, { kind: "attemptFailed" }>): void {
    if (error.code === "CrashLoop") this.crashLoops++;
    if (error.code === "NotResumable") this.notResumed++;
    if (retryAt !== null) this.retried++;
    else if (slots[slot]?.kind === SlotKind.bounded) this.expired++;
  }

  #addDecision({ slots }: Plan, { slot, choice }: Extract<Happening, { kind: "decision" }>): void {
    const kind = slots[slot]?.kind;
    if (kind === SlotKind.choose) this.chosen++;
    else if (kind === SlotKind.race) this.won++;
    else if (kind === SlotKind.sweep) this.swept += choice;
    else if (choice === 0) this.wentOn++;
  }

  /** What there was too little of, per case. */
  get tooFew(): string[] {
    return this.#below(leastPerCase);
  }

  get tooFewAtExit(): string[] {
    return this.#below({ ...leastPerCase, ...leastAtExit });
  }

  /** With several workers: nobody reads along among ephemeral items, or asks for drains and cancels. */
  tooFewTogether(durability: Durability): string[] {
    return this.#below({ ...leastPerCase, ...(durability === "exit" ? leastAtExit : {}), ...leastTogether });
  }

  #below(leasts: Record<keyof typeof leastPerCase, number>): string[] {
    return Object.entries(leasts).flatMap(([what, least]) =>
      this[what as keyof typeof leastPerCase] / this.cases < least ? [what] : [],
    );
  }
}

/** Streams of streams that leave blocks, and those in their items: as they are inside, and as they are outside. */
function nestedOf(plan: Plan): Set<number> {
  const feeds = plan.slots.filter(({ feed }) => feed !== null && feed.outer >= 0);
  return new Set(
    feeds.flatMap(({ id, feed }) => {
      const outer = plan.slots[feed?.outer ?? 0];
      return [
        ...[id, outer?.id ?? 0].map((inside) => streamOf(plan, inside)),
        ...[feed, outer?.feed].map((out) => plan.slots[out?.to ?? 0]?.stream ?? -1),
      ];
    }),
  );
}

/** That a collector is over. */
function streamOf({ slots }: Plan, collector: number): number {
  return slots[collector]?.collect?.stream ?? -1;
}

function isInBlock({ scopes, slots }: Plan, slot: number): boolean {
  for (let at = scopes[slots[slot]?.scope ?? 0]; at !== undefined; at = scopes[at.parent])
    if (at.block >= 0) return true;
  return false;
}

function isInFinalizer({ scopes, slots, finalizers }: Plan, slot: number): boolean {
  for (let at = scopes[slots[slot]?.scope ?? 0]; at !== undefined; at = scopes[at.parent])
    if (finalizers.includes(at.block)) return true;
  return false;
}

const leastPerCase = {
  records: 8,
  crashes: 0.6,
  resumed: 0.4,
  resumedInSubgraph: 0.05,
  resumedInBlock: 0.1,
  snapshots: 0.5,
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
  zipped: 0.03,
  left: 0.1,
  leftNested: 0.01,
  swept: 0.01,
  slept: 0.03,
  answered: 0.03,
  defaulted: 0.003,
  withdrawn: 0.003,
  parked: 0.02,
  finalized: 0.05,
  finalizersOver: 0.001,
  resumedInFinalizer: 0.005,
  begun: 0.1,
  inDoubt: 0.02,
  cameTo: 0.002,
  ranAgain: 0.004,
  saidFailed: 0.005,
  crashLoops: 0.01,
  notResumed: 0.0005,
  stopped: 0.005,
  wentOnBehind: 0.01,
  settled: 0.05,
  brokenOff: 0.001,
  among: 0.1,
  toldLive: 0.005,
  reset: 0.02,
  begunAgain: 0.01,
} as const;

/** Where no op is unsafe, little of what was at work at a crash is known, and there are few rows for snapshots to follow. */
const leastAtExit: Partial<Record<keyof typeof leastPerCase, number>> = {
  snapshots: 0.2,
  begun: 0,
  inDoubt: 0,
  cameTo: 0,
  ranAgain: 0,
  saidFailed: 0,
  crashLoops: 0,
  notResumed: 0,
  wentOnBehind: 0.005,
  resumedInFinalizer: 0.002,
};

/** Who is killed is counted by the report. */
const leastTogether: Partial<Record<keyof typeof leastPerCase, number>> = {
  crashes: 0,
  drained: 0,
  among: 0,
  toldLive: 0,
  // Of three deaths in a row there are not many in so few faults.
  crashLoops: 0,
};
