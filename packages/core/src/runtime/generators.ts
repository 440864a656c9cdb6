/**
 * Generators: asked for one item at a time, as credit allows.
 *
 * G1  `next` is called only for a pull, and there is one pull per frame.
 * G2  After a resume the recorded items are compared by hash and not delivered again; any difference is
 *     `NonDeterministicResume`. With `onResume: "cursor"` the body is told how many there are instead, and yields the rest.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import { deepFreeze } from "../base/freeze.ts";
import { asPromise } from "../base/thenable.ts";
import type { OpSpec } from "../model/op-spec.ts";
import { addressOf } from "../state/path.ts";
import { Todo, type Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import { eofEvent, frameEvent } from "../scheduler/event.ts";
import { bodyOf, closeBody, isWanted, type Body } from "./body.ts";
import { reportFailure } from "./failure.ts";
import { afterStart } from "./in-doubt.ts";
import { itemsOfPort } from "./live-ports.ts";
import { OpContext } from "./op-context.ts";
import type { Recorder } from "./recorder.ts";
import type { Runner } from "./runner.ts";
import { unwatchSlow, watchSlow } from "./slow.ts";
import { armIdleTimeout, armRunTimeout, continueRunTimeout, disarmIdle, pauseRunTimeout } from "./timeouts.ts";
import { validate } from "./validate.ts";

/** Generators whose items are not recorded: what is made of them in the end is. */
const unkept = Flag.ephemeral | Flag.unrecorded;

export function isGenerator(pending: Pending): boolean {
  return (pending.flags & Flag.generator) !== 0;
}

/** Starts the generator, or asks the started one for its next item. */
export function continueGenerator(runner: Runner, pending: Pending): void {
  const running = pending.body as Body | null;
  if (running !== null) {
    continueRunTimeout(running);
    next(running);
    return;
  }
  const body = bodyOf(runner, pending, pending.attempt);
  if (runner.observe !== null) runner.observe.attemptStarted(pending);
  armRunTimeout(runner, pending);
  if (pending.yielded === 0 || runner.recorder === null) open(body);
  else goOn(body, runner.recorder);
}

/** G2 */
function goOn(body: Body, recorder: Recorder): void {
  const { slot, context, yielded: count } = body.pending;
  const address = JSON.stringify(addressOf(context));
  if (slot.op?.onResume === "cursor") {
    awaitThen(body, recorder.recordedItem(slot.id, address, count - 1), (last) => {
      deepFreeze(last);
      body.resumeFrom = Object.freeze({ count, last });
      open(body);
    });
    return;
  }
  body.expected = recorder.recordedItems(slot.id, address);
  body.recorded = count;
  open(body);
}

function open(body: Body): void {
  const { pending } = body;
  const op = pending.slot.op as OpSpec;
  guard(body, () => {
    const input =
      op.input === null ? pending.input : validate(op.input, pending.input, `the input of "${pending.slot.name}"`);
    if (input instanceof Promise) awaitThen(body, input, (valid) => begin(body, op, valid));
    else begin(body, op, input);
  });
}

function begin(body: Body, op: OpSpec, input: unknown): void {
  const { runner, pending } = body;
  if (runner.recorder !== null) deepFreeze(input);
  if ((pending.flags & Flag.unsafe) === 0 || runner.recorder === null) call(body, op, input);
  else
    awaitThen(
      body,
      afterStart(runner, pending, () => undefined),
      () => call(body, op, input),
    );
}

function call(body: Body, op: OpSpec, input: unknown): void {
  const { lease } = body.runner;
  if (lease !== null && !lease.valid) {
    awaitThen(body, lease.renewed(), () => call(body, op, input));
    return;
  }
  const context = new OpContext(body.runner, body.pending);
  body.context = context;
  const result: unknown =
    op.live === undefined
      ? body.inside(() => op.run(input as never, context as never))
      : itemsOfPort(body.runner, body.pending.slot);
  const later = asPromise(result);
  if (later !== null) awaitThen(body, later, (iterable) => iterate(body, iterable));
  else iterate(body, result);
}

function iterate(body: Body, iterable: unknown): void {
  body.iterator = iteratorOf(iterable, body.pending.slot.name);
  next(body);
}

function iteratorOf(value: unknown, node: string): AsyncIterator<unknown> | Iterator<unknown> {
  const iterable = value as Partial<AsyncIterable<unknown> & Iterable<unknown>> | null | undefined;
  const iterator =
    iterable?.[Symbol.asyncIterator]?.() ?? (typeof value === "string" ? undefined : iterable?.[Symbol.iterator]?.());
  if (iterator === undefined) throw errorOf("NotAStream.value", { node, type: value === null ? "null" : typeof value });
  return iterator;
}

/** Whatever goes wrong on the way is the generator's failure. */
export function guard(body: Body, act: () => void): void {
  try {
    act();
  } catch (error) {
    failGenerator(body, error);
  }
}

export function failGenerator(body: Body, error: unknown): void {
  const { runner, pending, attempt } = body;
  body.iterator = null;
  reportFailure(runner, pending, error);
  runner.claims?.release(pending, attempt);
}

/** Waits for something of the body, and goes on if the run still wants it. */
export function awaitThen<T>(body: Body, promise: Promise<T>, use: (value: T) => void): void {
  const { runner, pending, attempt } = body;
  startWaiting(body);
  const settle = (act: () => void): void => {
    stopWaiting(body);
    if (body.timedOut || !isWanted(runner, pending, attempt)) late(body);
    else guard(body, act);
    runner.pump();
  };
  promise.then(
    (value) => settle(() => use(value)),
    (error: unknown) =>
      settle(() => {
        throw error;
      }),
  );
}

export function startWaiting(body: Body): void {
  body.busy = true;
  body.runner.busy++;
}

/** A body that timed out is not waited for already. */
export function stopWaiting(body: Body): void {
  if (body.busy) body.runner.busy--;
  body.busy = false;
}

/** G1 */
function next(body: Body): void {
  const { iterator, runner, attempt } = body;
  if (iterator === null) return;
  let result: unknown;
  let later: Promise<unknown> | null;
  try {
    result = runner.host.around === null ? iterator.next() : body.inside(() => iterator.next());
    later = asPromise(result);
  } catch (error) {
    failGenerator(body, error);
    return;
  }
  if (later === null) {
    took(body, result);
    return;
  }
  startWaiting(body);
  armIdleTimeout(body);
  if (runner.host.slowOp !== 0) watchSlow(runner, body.pending);
  later.then(
    (item) => {
      if (settled(body, attempt)) took(body, item);
      runner.pump();
    },
    (error: unknown) => {
      if (settled(body, attempt)) failGenerator(body, error);
      runner.pump();
    },
  );
}

/** The awaited item is there; is it still wanted? */
function settled(body: Body, attempt: number): boolean {
  const { runner, pending } = body;
  stopWaiting(body);
  disarmIdle(body);
  unwatchSlow(body);
  if (!body.timedOut && isWanted(runner, pending, attempt)) return true;
  late(body);
  return false;
}

function late({ runner, pending, attempt }: Body): void {
  runner.host.counts.late++;
  runner.claims?.release(pending, attempt);
}

function took(body: Body, result: unknown): void {
  const { runner, pending } = body;
  const replaying = body.produced < body.recorded;
  guard(body, () => {
    const item = resultOf(result, pending.slot.name);
    if (item.done === true) {
      if (replaying) throw fewerItems(body);
      endGenerator(body, item.value);
      runner.claims?.release(pending, body.attempt);
    } else if (replaying) {
      suppress(body, item.value);
    } else {
      deliver(body, item.value);
    }
  });
}

/** What it returned is its output, as its items are; one that cannot be kept is its failure. */
export function endGenerator(body: Body, value: unknown): void {
  const { runner, pending } = body;
  const { recorder } = runner;
  body.iterator = null;
  const isKept = recorder !== null && value !== undefined && (pending.flags & unkept) === 0;
  const encoded = isKept ? recorder.encode(value, "return value") : "";
  if (recorder !== null) deepFreeze(value);
  closeBody(pending);
  runner.feed(eofEvent(pending, value), encoded);
}

/** As `for await` does: a result that is no object is an error, not an item. */
function resultOf(result: unknown, node: string): IteratorResult<unknown> {
  if (typeof result === "object" && result !== null) return result as IteratorResult<unknown>;
  throw errorOf("NotAStream.iterator", { node, type: result === null ? "null" : typeof result });
}

function deliver(body: Body, value: unknown): void {
  const { runner, pending } = body;
  const schema = (pending.slot.op as OpSpec).output;
  const item = schema === null ? value : validate(schema, value, `item ${pending.yielded} of "${pending.slot.name}"`);
  if (item instanceof Promise) throw errorOf("InvalidValue.asyncItems", { node: pending.slot.name });
  const isKept = runner.recorder !== null && (pending.flags & unkept) === 0;
  const encoded = isKept ? (runner.recorder as Recorder).encode(item, "item") : "";
  if (runner.recorder !== null) deepFreeze(item);
  body.produced++;
  runner.feed(frameEvent(pending, item), encoded);
  if (pending.todo !== Todo.none || pending.body !== body) return;
  pauseRunTimeout(body);
  runner.claims?.release(pending, body.attempt);
}

/** G2: one recorded item is read at a time, so that a resumed stream is no larger than one that was never stopped. */
function suppress(body: Body, value: unknown): void {
  const { runner, pending } = body;
  const recorder = runner.recorder as Recorder;
  const hash = recorder.hash(value);
  awaitThen(body, (body.expected as AsyncIterator<unknown>).next(), ({ value: item }) => {
    const recorded = recorder.hash(item);
    if (recorded !== hash) throw otherItem(body, recorded, hash);
    body.produced++;
    if (body.produced === body.recorded) endOfRecorded(body);
    // A suppressed item: the next one is asked for without an event.
    pending.todo = Todo.pull;
    runner.state.effects.push(pending);
  });
}

/** Nobody waits for what the reading of the journal does after its last item. */
function endOfRecorded(body: Body): void {
  const { expected } = body;
  body.expected = null;
  expected?.return?.().catch(() => undefined);
}

function otherItem(body: Body, recorded: string, now: string): MillraceError {
  const { pending, produced } = body;
  const values = { node: pending.slot.name, index: produced, recorded, hash: now };
  return errorOf("NonDeterministicResume", values);
}

function fewerItems(body: Body): MillraceError {
  const { produced: count, recorded, pending } = body;
  return errorOf("NonDeterministicResume.short", { node: pending.slot.name, count, recorded });
}
