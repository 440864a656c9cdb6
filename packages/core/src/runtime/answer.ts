/**
 * What is said to a run from outside, by its owner or through the inbox from any process. What may be said only once is
 * claimed in the inbox first: the first one there counts (B9), a deadline is one of those who try.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import type { AskPlan } from "../model/plan.ts";
import type { Note } from "../ports/inbox.ts";
import { BY_TIMEOUT } from "../scheduler/event.ts";
import { isCurrent, type Pending } from "../state/pending.ts";
import { isAsked } from "../state/unsafe-bodies.ts";
import { accept, answerTimeout } from "./accept.ts";
import { answerSchemaOf } from "./in-doubt.ts";
import { findQuestion, interruptOf, questionOf } from "./questions.ts";
import type { Claimed } from "./recorder.ts";
import type { Runner } from "./runner.ts";
import { validate } from "./validate.ts";

const decoder = new TextDecoder();
/** How long a question that is over waits when an invalid answer stands in the way of its time-out. */
const againMs = 1_000;

/** Checks an answer and gives it to the run; resolves once it is durable. A wrong one leaves the question open. */
export async function answerQuestion(runner: Runner, which: string, value: unknown, by: string): Promise<void> {
  const pending = findQuestion(runner.state, which);
  const { id } = interruptOf(runner.state, pending);
  const valid = await validate(answerSchemaOf(pending.slot), value, `the answer to "${pending.slot.name}"`);
  if (!isOpen(runner, pending, id)) throw runner.lost ?? errorOf("InterruptNotFound.late", { which });
  // What cannot be recorded must not claim the question either.
  runner.host.codec.encode(valid, "answer");
  const claim = await inHand(runner, id, () => claimed(runner, id, value, by));
  if (claim.type === "taken") {
    // It may have been delivered, and left alone, while this was being claimed.
    if (isOpen(runner, pending, id)) await takeNote(runner, claim.note);
    throw answeredBefore(runner.state.runId, which, claim.note);
  }
  if (!isOpen(runner, pending, id)) {
    letGo(runner, id);
    takeBack(runner, claim.id);
    throw runner.lost ?? errorOf("InterruptNotFound.late", { which });
  }
  // With its record in one turn: else the note could be handled by a commit that comes before it.
  runner.recorder?.taken("answer", id);
  accept(runner, pending, valid, by);
  runner.pump();
  await runner.acknowledged();
}

/**
 * By the id of its question, how many have an answer in hand here: they claim it, check it, or have put it into a record. Of
 * several who claim at once one may be told of another's note before that one is told that it is its own: nobody takes up, or
 * takes away, a note that may be another's.
 */
const answersInHand: WeakMap<Runner, Map<string, number>> = new WeakMap();

function handOf(runner: Runner): Map<string, number> {
  const known = answersInHand.get(runner);
  if (known !== undefined) return known;
  const hand = new Map<string, number>();
  answersInHand.set(runner, hand);
  return hand;
}

function hold(runner: Runner, id: string): void {
  const hand = handOf(runner);
  hand.set(id, (hand.get(id) ?? 0) + 1);
}

function letGo(runner: Runner, id: string): void {
  const hand = handOf(runner);
  const others = (hand.get(id) ?? 0) - 1;
  if (others > 0) hand.set(id, others);
  else hand.delete(id);
}

/** A claim that comes to nothing leaves the note, if there is one, to whoever has it in hand, or finds it. */
async function inHand(runner: Runner, id: string, claim: () => Promise<Claimed>): Promise<Claimed> {
  hold(runner, id);
  try {
    const claimed = await claim();
    if (claimed.type === "taken") letGo(runner, id);
    return claimed;
  } catch (error) {
    letGo(runner, id);
    throw error;
  }
}

/** The note of a run that this engine lost is the next owner's. */
function takeBack(runner: Runner, note: number): void {
  if (runner.lost !== null) return;
  runner.recorder?.takeBack(note);
}

/** A body in doubt may run again, and be in doubt again: that is another question about the same invocation. */
function isOpen(runner: Runner, pending: Pending, id: string): boolean {
  return isCurrent(pending) && !runner.over && isAsked(pending) && interruptOf(runner.state, pending).id === id;
}

/**
 * The note holds what was given, not what its schema made of it: if this process dies now, the next owner checks it again.
 * There is a next owner only if the row says that the run goes on: it must not rest any more when the note is there (I7).
 */
async function claimed(runner: Runner, id: string, given: unknown, by: string): Promise<Claimed> {
  const { recorder, host } = runner;
  // Nobody else could say it.
  if (recorder === null) return { type: "ours", id: 0 };
  await runner.acknowledged();
  return recorder.claim("answer", id, host.codec.encode(given, "answer"), by);
}

export function answeredBefore(runId: string, which: string, { by, at }: Note): MillraceError {
  return errorOf("InterruptAnswered", {
    runId,
    which,
    by: by === null ? "somebody" : JSON.stringify(by),
    when: new Date(at).toISOString(),
  });
}

/** The time for a question is over; an answer that came before counts, and is on its way to the owner. */
export function questionTimedOut(runner: Runner, pending: Pending): void {
  const { recorder, state, host } = runner;
  if (recorder === null) return answerTimeout(runner, pending);
  const { otherwise } = pending.slot.ask as AskPlan;
  const encoded = otherwise === null ? "" : host.codec.encode(otherwise.value, "answer");
  const { id } = interruptOf(state, pending);
  // Until that is known the run is not put aside.
  runner.busy++;
  inHand(runner, id, async () => {
    // Whoever finds the claim after a crash finds the question with its time.
    await runner.acknowledged();
    return recorder.claim("answer", id, encoded, BY_TIMEOUT);
  })
    .then(async (claim) => {
      if (claim.type === "taken") {
        await takeNote(runner, claim.note);
        // What stood there was no answer.
        if (!isOpen(runner, pending, id)) return;
        return runner.waits.add(pending, host.clock.now() + againMs, () => questionTimedOut(runner, pending));
      }
      if (!isOpen(runner, pending, id)) {
        letGo(runner, id);
        return takeBack(runner, claim.id);
      }
      recorder.taken("answer", id);
      answerTimeout(runner, pending);
    })
    .then(
      () => {
        runner.busy--;
        runner.pump();
      },
      (error: unknown) => runner.onLost(error instanceof Error ? error : new Error(String(error))),
    );
}

/** Takes up a note that came for this run, or takes it away again when it means nothing here. */
export async function takeNote(runner: Runner, note: Note): Promise<void> {
  if (runner.over || runner.recorder === null) return;
  if (note.kind === "answer") return takeAnswer(runner, note);
  runner.recorder.taken(note.kind, note.key);
  if (note.kind === "cancel") runner.cancel(decoder.decode(note.bytes));
  else runner.drain();
}

async function takeAnswer(runner: Runner, note: Note): Promise<void> {
  const { recorder, state } = runner;
  if (recorder === null || handOf(runner).has(note.key)) return;
  const pending = questionOf(state, note.key);
  if (pending === undefined) return takeBack(runner, note.id);
  hold(runner, note.key);
  if (note.bytes.byteLength === 0) {
    recorder.taken("answer", note.key);
    answerTimeout(runner, pending);
  } else {
    const valid = await checkedAnswer(runner, pending, note);
    if (valid === undefined || !isOpen(runner, pending, note.key)) {
      letGo(runner, note.key);
      return takeBack(runner, note.id);
    }
    recorder.taken("answer", note.key);
    accept(runner, pending, valid.value, note.by ?? "");
  }
  runner.pump();
}

/** Whoever posted it may not have had the graph: what does not match is said here, and the question stays open. */
async function checkedAnswer(
  runner: Runner,
  pending: Pending,
  note: Note,
): Promise<{ readonly value: unknown } | undefined> {
  const { host, state } = runner;
  const answer = answerSchemaOf(pending.slot);
  const what = `the answer to "${pending.slot.name}"`;
  try {
    const given = host.codec.decode(decoder.decode(note.bytes));
    const value = note.by === BY_TIMEOUT ? given : await validate(answer, given, what);
    host.codec.encode(value, "answer");
    return { value };
  } catch (error) {
    const { message } = error as Error;
    host.warn(`millrace: ${what} of run ${state.runId} by ${note.by ?? "somebody"} was not taken: ${message}`);
    return undefined;
  }
}
