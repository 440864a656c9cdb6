/**
 * Brings a fresh state to where a fork begins, by what it kept of its origin, and writes the records of that.
 *
 * U1  Whatever can be taken is taken, always the one that was recorded first. So without a difference the records are those
 *     of the origin in their order; with one, what was kept need not wait for what runs again, unless a lane, credit, or
 *     the end of an iteration makes it wait.
 * U2  What has to wait stands in the journal too, behind what could be taken: whenever its invocation is dispatched, here
 *     or after a crash, it is answered from there.
 * U3  Nothing starts meanwhile.
 */
import { RecordKind, type At } from "../../events/record.ts";
import { cellSetEvent, startedEvent } from "../../scheduler/event.ts";
import { encodedOf, recalledEvent, takesNow } from "../../scheduler/recalled.ts";
import { step } from "../../scheduler/step.ts";
import { openInvocations } from "../../state/invocations.ts";
import { Kept, type KeptAnswer } from "../../state/kept.ts";
import { isCurrent, Todo, type Pending } from "../../state/pending.ts";
import type { RunState } from "../../state/run-state.ts";
import type { SlotPlan } from "../../model/plan.ts";
import { addressText, invocationText, takeDecided, takeDropped } from "../texts.ts";
import { isOfFinalizer } from "./edges.ts";
import { Heap } from "./heap.ts";

export interface GivenCell {
  readonly cell: number;
  readonly name: string;
  readonly value: unknown;
  readonly encoded: string;
}

/** The records behind the one of the start, which was written `at`. */
export function takeUp(
  run: RunState,
  { input, at }: { readonly input: unknown; readonly at: number },
  kept: Kept,
  cells: readonly GivenCell[],
): string[] {
  run.kept = kept;
  const taking = new Taking(run, kept, at);
  taking.start(input);
  const { records } = taking;
  run.kept = run.end === null ? leftOf(run, kept) : null;
  // One by one: there may be more of them than a call has room for.
  if (run.kept !== null) for (const note of notesOf(run.kept)) records.push(note);
  run.seq = records.length + 1;
  if (run.end === null) for (const set of cells) records.push(setCell(run, set));
  release(run);
  return records;
}

function setCell(run: RunState, { cell, name, value, encoded }: GivenCell): string {
  step(run, cellSetEvent({ cell, value }));
  return `[${RecordKind.cellSet},${JSON.stringify(name)},${encoded}]`;
}

class Taking {
  readonly records: string[] = [];
  readonly #run: RunState;
  readonly #kept: Kept;
  readonly #clock: { now(): number };
  readonly #ready: Heap<Pending> = new Heap();

  constructor(run: RunState, kept: Kept, at: number) {
    this.#run = run;
    this.#kept = kept;
    this.#clock = { now: () => at };
  }

  start(input: unknown): void {
    step(this.#run, startedEvent(input));
    this.#stepped(null);
    this.#takeAll();
  }

  /** U1 */
  #takeAll(): void {
    const { effects } = this.#run;
    do {
      for (let pending = effects.take(); pending !== null; pending = effects.take()) this.#offer(pending);
    } while (this.#run.end === null && this.#takeFirst());
    // U3: nobody waits for their bodies.
    this.#run.aborted = null;
  }

  #offer(pending: Pending): void {
    const answer = this.#kept.peek(pending);
    if (answer !== undefined && isCurrent(pending) && takesNow(pending, answer)) this.#ready.push(answer.seq, pending);
  }

  /** False: nothing can be taken. */
  #takeFirst(): boolean {
    for (let first = this.#ready.take(); first !== undefined; first = this.#ready.take()) {
      const { place, item: pending } = first;
      const answer = isCurrent(pending) ? this.#kept.peek(pending) : undefined;
      if (answer === undefined || !takesNow(pending, answer)) continue;
      if (answer.seq !== place) this.#ready.push(answer.seq, pending);
      else {
        this.#take(pending, answer);
        return true;
      }
    }
    return false;
  }

  #take(pending: Pending, answer: KeptAnswer): void {
    const run = this.#run;
    this.#kept.take(answer.kind, answer.slot, answer.at);
    const event = recalledEvent(pending, answer);
    step(run, event);
    this.#stepped(invocationText(run, event, pending, encodedOf(answer), this.#clock));
    this.#offer(pending);
  }

  #stepped(record: string | null): void {
    const run = this.#run;
    if (run.probe !== null) run.probe.stepped();
    if (record !== null) this.records.push(record);
    for (const made of takeDecided(run)) this.records.push(made);
    for (const dropped of takeDropped(run)) this.records.push(dropped);
    if (run.probe !== null) run.probe.flush();
  }
}

/** U2. What finalizers did is not kept for others: those of the fork are at its own end. */
function leftOf({ program: { plan } }: RunState, kept: Kept): Kept | null {
  const left = new Kept();
  const stays = (slot: number): boolean => !isOfFinalizer(plan, plan.slots[slot] as SlotPlan);
  for (const answer of kept.answers) if (answer.given === true || stays(answer.slot)) left.add(answer);
  for (const { slot, at, choice } of kept.choices) if (stays(slot)) left.addChoice(slot, at, choice);
  return left.empty ? null : left;
}

function notesOf({ choices, answers }: Kept): string[] {
  const note = (kind: RecordKind, slot: number, at: At, rest: readonly unknown[]): string =>
    `[${RecordKind.kept},${kind},${slot},${addressText(at)}${rest.map((part) => `,${JSON.stringify(part)}`).join("")}]`;
  return [
    ...Array.from(choices, ({ slot, at, choice }) => note(RecordKind.decision, slot, at, [choice])),
    ...answers.map(({ kind, slot, at, rest }) => note(kind, slot, at, rest)),
  ];
}

/** All that is open is to be done, in the order in which it was dispatched. */
function release(run: RunState): void {
  run.effects.clear();
  for (const pending of openInvocations(run)) if (pending.todo !== Todo.none) run.effects.push(pending);
}
