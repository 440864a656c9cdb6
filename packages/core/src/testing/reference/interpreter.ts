/**
 * The reference interpreter (DESIGN §4, Equality): fed with a plan and the records of a journal in their order, it says
 * what the run came to, and refuses a journal in which something happened that could not.
 *
 * Order. All consequences of one record are drawn before the next one is looked at, first in, first out. A resolution
 * reaches the dependents in its own place in plan order, then those further in in the order they began to wait, then
 * its collectors in plan order. When nothing is left, places without work close, the one whose work ended last first,
 * and each closing has its consequences drawn before the next.
 */
import type { ErrorEntry } from "../../events/record.ts";
import type { Plan, SlotPlan } from "../../model/plan.ts";
import { SlotKind } from "../../model/plan.ts";
import { armResolved } from "./blocks/race.ts";
import { endCallee } from "./blocks/bounded.ts";
import { giveOn, neverOpened } from "./blocks/choose.ts";
import { checkTold, dropCalls, dropGivenUp } from "./conversations.ts";
import type { Call as RecordedCall } from "../../model/conversation.ts";
import { closeInBlock } from "./blocks/close.ts";
import { gather } from "./collectors.ts";
import { finishCall, passBy, runningCall } from "./calls.ts";
import { failureOf, resolve } from "./consequences.ts";
import { becomeReady } from "./edges.ts";
import { record, recordBoundaries } from "./failures.ts";
import type { Answer, EphemeralHappening, Happening } from "./happening.ts";
import {
  checkAnswer,
  checkAttempt,
  checkBetween,
  checkDropped,
  checkEnded,
  checkResumed,
  checkWithdrawn,
  runningAddresses,
  type JournalPhase,
} from "./legal.ts";
import { takeEphemeral } from "./ephemeral.ts";
import { comeToEnd, endAs, finalizerOver, stop, type Stop } from "./finalizers.ts";
import { hearersOf } from "./hearers.ts";
import { findPlace } from "./paths.ts";
import { hear, openPlace, tellInward } from "./places.ts";
import { feedBroke } from "./passages.ts";
import { afterFrame, closeItem, endStream, openItem, openStream, sourceBroke } from "./streams.ts";
import { beginUnsafe, checkRecovered, countCrashes, takeDoubt } from "./recovery.ts";
import { takeWait } from "./waits.ts";
import {
  at,
  Illegal,
  newWorld,
  slotOf,
  streamOf,
  type Call,
  type Decision,
  type Outcome,
  type Place,
  type Resolved,
  type World,
} from "./world.ts";

export class Reference {
  readonly #world: World;
  #epoch = 1;
  #journal: JournalPhase = "open";

  /** @param fickle functions whose word is not to be compared with the journal's choices. */
  constructor(plan: Plan, errors: "record" | "raise", fickle: ReadonlySet<unknown> = new Set()) {
    this.#world = newWorld(plan, errors === "raise", fickle);
  }

  /** The run's end, if it has one. */
  get outcome(): Outcome | null {
    return this.#world.end;
  }

  get cells(): readonly unknown[] {
    const { plan, cells } = this.#world;
    return cells.map((folded, i) => plan.cells[i]?.view?.(folded) ?? folded);
  }

  get errors(): readonly ErrorEntry[] {
    return [...this.#world.errors.values()];
  }

  /** Paths of all invocations that were dispatched so far, in their order: `nightly/listDocs[3]/parse`. */
  get dispatched(): readonly string[] {
    return this.#world.dispatched;
  }

  /** What was sent out so far, in that order. */
  get emitted(): World["emitted"] {
    return this.#world.emitted;
  }

  /** Paths of those of them that were swept while they ran. */
  get swept(): readonly string[] {
    return this.#world.swept;
  }

  /**
   * @param decisions what blocks chose because of it: the records that follow its own.
   * @param withdrawn the questions that were swept because of it: the records after these.
   * @throws Illegal when this cannot have happened now.
   */
  feed(happening: Happening, decisions: readonly Decision[] = [], withdrawn: readonly Withdrawn[] = []): void {
    const world = this.#world;
    checkBetween(world, this.#journal, happening);
    world.decisions.push(...decisions);
    this.#take(happening);
    settle(world);
    endWhenDone(world);
    // That may have opened its finalizers.
    settle(world);
    endWhenDone(world);
    checkDecided(world);
    checkWithdrawn(world, withdrawn);
  }

  #take(happening: Happening): void {
    const world = this.#world;
    switch (happening.kind) {
      case "started":
        start(world, happening);
        break;
      case "resumed":
        checkResumed(this.#epoch, this.#journal, happening, runningAddresses(world));
        if (happening.crashed !== 0) countCrashes(world, happening.crashed);
        this.#epoch = happening.epoch;
        this.#journal = "open";
        break;
      // What a fork kept answers invocations by records of its own.
      case "kept":
      case "snapshot":
      case "drainRequested":
        break;
      case "cellSet":
        setCell(world, happening.cell, happening.value);
        break;
      case "cancelRequested":
      case "stopped":
        stop(world, happening);
        this.#journal = "open";
        break;
      case "ended":
        checkEnded(world, happening);
        this.#journal = world.end === null ? "drained" : "over";
        break;
      default:
        takeOfNode(world, happening);
    }
  }
}

function setCell({ plan, cells }: World, name: string, value: unknown): void {
  const cell = plan.cells.findIndex((known) => known.name === name);
  if (cell < 0) throw new Illegal(`there is no cell "${name}"`);
  cells[cell] = structuredClone(value);
}

type OfRun = "kept" | "snapshot" | "cellSet" | "started" | "resumed" | "drainRequested" | Stop["kind"] | "ended";
type OfNode = Exclude<Happening, { kind: OfRun }>;

/** What a record says of one node. */
function takeOfNode(world: World, happening: OfNode): void {
  switch (happening.kind) {
    case "dropped":
      checkDropped(world, happening);
      break;
    case "finalizerOver":
      finalizerOver(world, happening.slot);
      break;
    case "deadlineSet":
      checkRunning(world, happening);
      break;
    case "timerSet":
    case "fired":
      takeWait(world, happening);
      break;
    case "asked":
    case "answered":
      if (slotOf(world, happening.slot).kind === SlotKind.op) takeDoubt(world, happening);
      else takeWait(world, happening);
      break;
    case "unsafeStart":
      beginUnsafe(world, happening);
      break;
    case "decision":
    case "withdrawn":
      throw new Illegal(`"${slotOf(world, happening.slot).name}" decided something, and nothing happened before`);
    default:
      takeOfBody(world, happening);
  }
}

type OfBody = Answer | EphemeralHappening;

function takeOfBody(world: World, happening: OfBody): void {
  if (happening.kind !== "settled" && happening.kind !== "brokenOff") answer(world, happening);
  else takeEphemeral(world, happening, (aside) => takeAside(world, aside));
}

/** Nothing records what it decides and drops. */
function takeAside(world: World, aside: Happening): void {
  takeOfNode(world, aside as OfNode);
  settle(world);
  world.dropped.length = 0;
}

type Withdrawn = Extract<Happening, { kind: "withdrawn" }>;

/** A deadline is set for what runs, and changes nothing until it comes. */
function checkRunning(world: World, happening: Extract<Happening, { kind: "deadlineSet" }>): void {
  const slot = slotOf(world, happening.slot);
  const call = runningCall(world, findPlace(world, slot, happening.at), slot, "a deadline");
  if (call.deadline < Infinity) throw new Illegal(`"${slot.name}" has a deadline already`);
  call.deadline = happening.due;
}

function start(world: World, { input, forked }: Extract<Happening, { kind: "started" }>): void {
  world.forked = forked === true;
  resolve(world, world.root, slotOf(world, 0), { as: "value", value: input });
  openPlace(world, world.root);
}

function answer(world: World, happening: Answer): void {
  const slot = slotOf(world, happening.slot);
  const call = runningCall(world, findPlace(world, slot, happening.at), slot, `a record (${happening.kind})`);
  checkAnswer(world, call, happening);
  checkRecovered(world, call, happening);
  if (happening.kind === "output") finishCall(world, call, { as: "value", value: happening.value });
  else if (happening.kind === "frame") takeFrame(world, call, happening.value);
  else if (happening.kind === "eof") takeEof(world, call, happening.value);
  else takeFailure(world, call, happening);
}

function takeFrame(world: World, call: Call, value: unknown): void {
  const { place, slot } = call;
  if (slot.op?.converse !== undefined) checkTold(world, call, value as RecordedCall);
  call.items++;
  // It has begun, whatever a clock that was set back says of when it would.
  call.due = 0;
  if (place.swept) return;
  const stream = streamOf(world, place, slot.stream) ?? openStream(world, place, slot, null);
  if (slot.op?.converse !== undefined) dropGivenUp(world, call, value as RecordedCall);
  openItem(world, stream, { as: "value", value });
  afterFrame(world, stream);
}

function takeEof(world: World, call: Call, value: unknown): void {
  const { place, slot } = call;
  dropCalls(world, call);
  if (!place.swept) endStream(world, streamOf(world, place, slot.stream) ?? openStream(world, place, slot, null), null);
  // What the answer resolves spreads before anything that the end of the stream led to.
  finishCall(world, call, { as: "value", value }, true);
}

function takeFailure(world: World, call: Call, happening: Extract<Answer, { kind: "attemptFailed" }>): void {
  const { place, slot } = call;
  checkAttempt(world, call, happening);
  if (happening.retryAt !== null) {
    call.attempt++;
    call.due = happening.retryAt;
    return;
  }
  dropCalls(world, call);
  const failure = record(world, place, slot, happening.error, call.attempt, call.input);
  // What the answer resolves spreads before anything that its failure led to.
  finishCall(world, call, { as: "failed", failure }, true);
}

/** Draws all consequences, lets places close, and ends the run when it is over. */
function settle(world: World): void {
  do {
    for (let next = world.queue.shift(); next !== undefined; next = world.queue.shift()) {
      const { what, place, slot } = next;
      if (what === "resolved") spread(world, place, slot);
      else if (!world.resolved.has(at(place, slot.id))) becomeReady(world, place, slot);
    }
  } while (closeLast(world));
}

function spread(world: World, place: Place, slot: SlotPlan): void {
  const how = world.resolved.get(at(place, slot.id));
  if (how === undefined) throw new Illegal(`slot ${slot.id} spreads and is not resolved`);
  if (how.as !== "value") spreadBreak(world, place, slot, how);
  const { beside, watchers } = hearersOf(world.plan, slot);
  for (const other of beside) hear(world, place, other, slot, how);
  tellInward(world, place, slot, how);
  for (const other of watchers) tellWatcher(world, place, other, how);
}

function tellWatcher(world: World, place: Place, watcher: SlotPlan, how: Resolved): void {
  if (watcher.arms !== null) giveOn(world, place, watcher, how);
  else if (watcher.kind === SlotKind.race) armResolved(world, place, watcher, how);
  else gather(world, place, watcher, how);
}

/** No value: what hangs on that alone. */
function spreadBreak(world: World, place: Place, slot: SlotPlan, how: Resolved): void {
  const failure = failureOf(how);
  if (slot.stream >= 0 && !place.swept) sourceBroke(world, place, slot, how);
  if (slot.ordered) passBy(world, place, slot);
  if (slot.feed !== null) feedBroke(world, place, slot, how);
  if (slot.block !== null) neverOpened(world, place, slot, how);
  if (slot.kind === SlotKind.bounded) endCallee(world, place, slot);
  if (failure !== null) recordBoundaries(world, place, slot, failure);
}

/** False when nothing is left to close. */
function closeLast(world: World): boolean {
  const place = world.closing.pop();
  if (place === undefined) return false;
  if (place.work.size > 0 || place.closed) return true;
  checkResolved(world, place);
  if (place.block !== null) closeInBlock(world, place.block, place);
  else if (place.stream !== null) closeItem(world, place.stream, place);
  else place.closed = true;
  return true;
}

/** Rule 2: no graph that can be built leaves something waiting for what never comes. */
function checkResolved(world: World, place: Place): void {
  const [slot] = unresolved(world, place);
  if (slot !== undefined) throw new Illegal(`${place.key || "the run"} has nothing left to do, and ${slot} waits`);
}

function checkDecided(world: World): void {
  const [left] = world.decisions;
  if (left !== undefined)
    throw new Illegal(`"${slotOf(world, left.slot).name}" decided something, and did not come to it`);
}

function endWhenDone(world: World): void {
  if (world.end !== null) return;
  if (world.ending !== null) {
    if (world.root.closed || !somethingMoves(world)) endAs(world, world.ending);
  } else if (world.raised) comeToEnd(world, { status: "failed", output: undefined, reason: "" });
  else if (world.root.closed) endWithOutput(world);
  else if (!somethingMoves(world)) throw new Illegal(`the run stalls: ${unresolved(world, world.root).join(", ")}`);
}

function endWithOutput(world: World): void {
  const how = world.resolved.get(at(world.root, world.plan.output));
  if (how === undefined) throw new Illegal("the run is over and its output is not resolved");
  const status = failureOf(how) === null ? "completed" : "failed";
  comeToEnd(world, { status, output: how.as === "value" ? how.value : undefined, reason: "" });
}

/** A generator without credit does not move by itself. */
function somethingMoves(world: World): boolean {
  return [...world.calls.values()].some(
    ({ place, slot, phase }) => phase === "running" && streamOf(world, place, slot.stream)?.suspended !== true,
  );
}

function unresolved(world: World, place: Place): string[] {
  return place.scope.slots
    .filter((id) => !world.resolved.has(at(place, id)) && slotOf(world, id).kind !== SlotKind.finalizer)
    .map((id) => slotOf(world, id))
    .map((slot) => slot.name || `slot ${slot.id}`);
}
