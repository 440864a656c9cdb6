/** What a journal must be, whatever the graph: the records that could not have been written then and there are refused. */
import type { At } from "../../events/record.ts";
import type { Answer, Happening } from "./happening.ts";
import { indicesOf } from "./paths.ts";
import { checkMayFail, restlessness, otherWake } from "./waits.ts";
import { Illegal, streamOf, type Call, type World } from "./world.ts";

/** `over` after the terminal record, `drained` until the run is resumed. */
export type JournalPhase = "open" | "drained" | "over";

/** I6 and the frame of everything: dropped items follow the record that pushed them out, and the end is the end. */
export function checkBetween(world: World, phase: JournalPhase, { kind }: Happening): void {
  if (world.dropped.length > 0 && kind !== "dropped")
    throw new Illegal(`${world.dropped.length} items were pushed out, and the next record is ${kind}`);
  if (phase === "over") throw new Illegal(`${kind} after the terminal record`);
  // A cancel takes it as it stands.
  if (phase === "drained" && kind !== "resumed" && kind !== "cancelRequested")
    throw new Illegal(`${kind} while the run was drained`);
  if (world.end !== null && kind !== "ended" && kind !== "dropped")
    throw new Illegal(`${kind} after the run had ended as ${world.end.status}`);
}

export function checkDropped(world: World, { slot, at, index }: Extract<Happening, { kind: "dropped" }>): void {
  const expected = world.dropped.shift();
  const said = `item ${index} of slot ${slot} at ${addressText(at)}`;
  if (expected === undefined) throw new Illegal(`${said} was dropped, and nothing had to go`);
  const { source, place } = expected;
  const due = `item ${expected.index} of slot ${source} at ${indicesOf(place).join(".")}`;
  if (said !== due) throw new Illegal(`${said} was dropped, and it was the turn of ${due}`);
}

/** I3, and the bodies in flight are those that run. */
export function checkResumed(
  before: number,
  phase: JournalPhase,
  { epoch, inFlight, crashed }: Extract<Happening, { kind: "resumed" }>,
  running: readonly string[],
): void {
  if (phase === "drained" && crashed !== 0) throw new Illegal("a run that rested is said to have crashed");
  if (epoch <= before) throw new Illegal(`epoch ${epoch} after epoch ${before}`);
  const said = inFlight.map(([slot, at]) => `${slot}@${addressText(at)}`).toSorted();
  if (said.join() !== running.join())
    throw new Illegal(`resumed with ${said.join(", ")} in flight, and these run: ${running.join(", ")}`);
}

export function checkEnded(world: World, ended: Extract<Happening, { kind: "ended" }>): void {
  const { status } = ended;
  if (status === "interrupted" && world.end === null) {
    checkParked(world, ended);
    return;
  }
  const due = world.end?.status ?? "drained";
  if (status !== due) throw new Illegal(`the journal ends as ${status}, and the run is ${due}`);
}

function checkParked(world: World, { at = 0, wake }: Extract<Happening, { kind: "ended" }>): void {
  const why = restlessness(world, at);
  if (why !== null) throw new Illegal(`the run is put aside, and ${why}`);
  const other = otherWake(world, at, wake);
  if (other !== null) throw new Illegal(`the run is to wake at ${wake}, and is due at ${other.due}`);
}

/** Questions that were swept are withdrawn, in that order, and no others. */
export function checkWithdrawn(world: World, withdrawn: readonly Extract<Happening, { kind: "withdrawn" }>[]): void {
  const said = withdrawn.map(({ slot, at }) => `${slot}@${addressText(at)}`).join(", ");
  const due = world.withdrawn.splice(0).join(", ");
  if (said !== due) throw new Illegal(`withdrawn were "${said}", and "${due}" had to be`);
}

/** Single values come from ops, items from generators, and only while they have credit. */
export function checkAnswer(world: World, { place, slot }: Call, { kind }: Answer): void {
  if (kind === "attemptFailed") return;
  if (slot.op === null) throw new Illegal(`${kind} of "${slot.name}", which has no body`);
  const single = slot.stream < 0;
  if ((kind === "output") !== single)
    throw new Illegal(`${kind} of "${slot.name}", which gives ${single ? "one value" : "a stream"}`);
  const stream = streamOf(world, place, slot.stream);
  if (stream?.suspended === true) throw new Illegal(`${kind} of "${slot.name}", which waits for credit`);
}

/** I9, and rule 10: a generator is retried only before its first item. */
export function checkAttempt(world: World, call: Call, failed: Extract<Answer, { kind: "attemptFailed" }>): void {
  const { place, slot, attempt } = call;
  checkMayFail(call);
  if (failed.attempt !== attempt)
    throw new Illegal(`attempt ${failed.attempt} of "${slot.name}" failed, and ${attempt} was running`);
  if (failed.retryAt === null) return;
  if (failed.retryAt > call.deadline) throw new Illegal(`"${slot.name}" is tried again behind its deadline`);
  if (attempt >= (slot.policies?.retry?.attempts ?? 1))
    throw new Illegal(`"${slot.name}" is tried again after attempt ${attempt}, its last`);
  if (slot.stream >= 0 && streamOf(world, place, slot.stream) !== undefined)
    throw new Illegal(`"${slot.name}" is tried again after its first item`);
}

function addressText(at: At): string {
  return at === 0 ? "" : at.join(".");
}

/** As `resumed` names them: `4@1.0`. */
export function runningAddresses(world: World): string[] {
  return [...world.calls.values()]
    .filter(({ phase }) => phase === "running")
    .map(({ place, slot }) => `${slot.id}@${indicesOf(place).join(".")}`)
    .toSorted();
}
