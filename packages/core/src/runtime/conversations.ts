/**
 * Bodies of workflows: what they call is taken as an item of their stream, and they are told what each call came to.
 *
 * M1  A body is told one thing at a time, and the next when what that led to is through: its microtasks have run.
 * M2  A call is recorded with what the body was told since the one before. A body that begins again is told the same in the
 *     same order, and its calls are compared with the recorded ones and not made again.
 * M3  A body that waits for its calls is at rest: it holds nothing, and a run of which nothing else is left is put aside.
 *     One that waits for none of them waits for something of its own, and counts as at work.
 * M11  After a crash a body is told only what is durable, until it makes a call: else what it dies of would be done again, and be held to be what
 *     the process died of. Before the first crash that would cost each call a commit more.
 */
import { cloneData } from "../base/clone.ts";
import { errorOf, invariantBroken } from "../base/error.ts";
import { deepFreeze } from "../base/freeze.ts";
import { GIVEN_UP, type Call, type Conversation, type Delivery, type MadeCall } from "../model/conversation.ts";
import type { OpSpec } from "../model/op-spec.ts";
import { identityPath, invocationKey } from "../state/invocation-key.ts";
import { addressOf } from "../state/path.ts";
import type { Pending } from "../state/pending.ts";
import { frameEvent } from "../scheduler/event.ts";
import { takeDelivery } from "../scheduler/policies/deliver.ts";
import { findStream } from "../scheduler/streams.ts";
import { bodyOf, isWanted, type Body } from "./body.ts";
import { awaitThen, endGenerator, failGenerator, guard, startWaiting, stopWaiting } from "./generators.ts";
import { untilLeased } from "./lease.ts";
import { OpContext } from "./op-context.ts";
import type { Recorder } from "./recorder.ts";
import type { Runner } from "./runner.ts";

/** What is kept of a recorded call until the body makes it again. */
interface Recorded extends Pick<Call, "now" | "seed"> {
  readonly label: string;
  readonly hash: string;
  readonly told: readonly number[];
}

/** What the runtime keeps of one body that talks with its run. */
class Dialog {
  readonly body: Body;
  readonly conversation: Conversation;
  readonly recorded: readonly Recorded[];
  /** Calls that are recorded and were made by this body. */
  made = 0;
  /** What it was told since the last of them. */
  told: number[] = [];
  /** What it is to be told, in the order of the records. */
  readonly inbox: Map<number, Delivery> = new Map();
  /** Deliveries that came to the inbox. */
  #taken = 0;
  /** The run asks for its next call. Until then it gives none, and is not over: its invocation is among what is to be done. */
  asked = true;
  /** What it was told last has not run through yet. */
  turning = false;

  constructor(body: Body, conversation: Conversation, recorded: readonly Recorded[]) {
    this.body = body;
    this.conversation = conversation;
    this.recorded = recorded;
  }

  get alone(): boolean {
    return this.body.runner.talks.alone.has(this.body);
  }

  /** Undefined: nothing is there that it may be told now. */
  next(): Delivery | undefined {
    this.#collect();
    const recorded = this.recorded[this.made];
    const due = recorded === undefined ? this.#first() : recorded.told[this.told.length];
    const delivery = due === undefined ? undefined : this.inbox.get(due);
    if (delivery !== undefined) this.inbox.delete(delivery.call);
    return delivery;
  }

  #first(): number | undefined {
    for (const call of this.inbox.keys()) {
      if (this.conversation.expects(call)) return call;
      this.inbox.delete(call);
    }
    return undefined;
  }

  #collect(): void {
    const { pending, runner } = this.body;
    const [collect] = findStream(pending.context, pending.slot.stream)?.collects ?? [];
    if (collect === undefined) return;
    const next = (): Delivery | undefined => takeDelivery(runner.state, collect, this.#taken);
    for (let delivery = next(); delivery !== undefined; delivery = next()) {
      this.#taken++;
      this.inbox.set(delivery.call, delivery);
    }
  }

  /** Nothing of it is held any more. */
  close(): void {
    const { listening, alone, careful, held } = this.body.runner.talks;
    for (const bodies of [listening, alone, careful, held]) bodies.delete(this.body);
    this.inbox.clear();
    this.conversation.close();
  }
}

/** Begins the body, or takes the next call that it made. */
export function converse(runner: Runner, pending: Pending): void {
  const known = pending.body as Body | null;
  if (known !== null) {
    if (known.dialog === null) return;
    dialogOf(known).asked = true;
    proceed(dialogOf(known));
    return;
  }
  const body = bodyOf(runner, pending, pending.attempt);
  if (runner.observe !== null) runner.observe.attemptStarted(pending);
  const { recorder } = runner;
  guard(body, () => {
    if (recorder !== null && pending.yielded > 0)
      awaitThen(body, recordedCalls(recorder, pending), (calls) => open(body, calls));
    else open(body, []);
  });
}

function dialogOf({ dialog }: Body): Dialog {
  return dialog as Dialog;
}

/** M2: those of which the state knows; later ones may be being written. */
async function recordedCalls(recorder: Recorder, { slot, context, yielded }: Pending): Promise<Recorded[]> {
  const calls: Recorded[] = [];
  const items = recorder.recordedItems(slot.id, JSON.stringify(addressOf(context)));
  while (calls.length < yielded) {
    const { value, done } = await items.next();
    if (done === true) throw invariantBroken("M2", `${yielded} calls were made, and ${calls.length} are recorded`);
    const { told = [], now, seed, ...call } = value as Call;
    calls.push({ label: labelOf(call), hash: hashOf(recorder, call), told, ...marks({ now, seed }) });
  }
  await items.return?.();
  return calls;
}

function marks({ now, seed }: { now: Call["now"]; seed: Call["seed"] }): Pick<Call, "now" | "seed"> {
  return { ...(now !== undefined && { now }), ...(seed !== undefined && { seed }) };
}

function labelOf({ call, name, input }: Pick<Call, "call" | "name" | "input">): string {
  if (call === GIVEN_UP) return `that call ${String(input)} is given up`;
  return name === undefined ? `"${call}"` : `"${call}" (${name})`;
}

/** What makes two calls the same. */
function hashOf(recorder: Recorder, { call, name, input }: MadeCall): string {
  return recorder.hash([call, name ?? null, input]);
}

function open(body: Body, recorded: readonly Recorded[]): void {
  const { runner, pending } = body;
  const leased = untilLeased(runner);
  if (leased !== null) {
    awaitThen(body, leased, () => open(body, recorded));
    return;
  }
  const context = new OpContext(runner, pending);
  body.context = context;
  const { converse: begin } = pending.slot.op as Required<OpSpec>;
  const conversation = begin(toldOf(runner, pending.input) as never, {
    get runId() {
      return runner.state.runId;
    },
    now: () => runner.host.clock.now(),
    copy: (value, what) => copied(runner, value, what),
    seed: () => invocationKey(runner.state.runId, identityPath(runner.state, pending)),
    stirred: () => stirred(dialogOf(body)),
    lost: ({ message }) => runner.host.warn(`millrace: run ${runner.state.runId}: ${message}`),
  });
  const dialog = new Dialog(body, conversation, recorded);
  body.dialog = dialog;
  if (runner.talks.crashed) runner.talks.careful.add(body);
  turn(dialog);
  body.inside(() => conversation.begin(recorded));
}

function copied({ host, recorder }: Runner, value: unknown, what: string): unknown {
  return recorder === null ? cloneData(value) : host.codec.decode(host.codec.encode(value, what));
}

/** What a body changes of what it is told is seen by nobody: it cannot, or, without a journal, has a copy. */
function toldOf({ recorder }: Runner, value: unknown): unknown {
  if (recorder === null) return cloneData(value);
  deepFreeze(value);
  return value;
}

/** A failure also stands among the errors of the run, which marks there who handled it. */
function toldDelivery(runner: Runner, delivery: Delivery): Delivery {
  return { ...delivery, value: toldOf(runner, delivery.ok ? delivery.value : cloneData(delivery.value)) } as Delivery;
}

/** M1: what the body was told last runs through; then it goes on. */
function turn(dialog: Dialog): void {
  const { body } = dialog;
  const { runner, pending, attempt } = body;
  dialog.turning = true;
  runner.talks.turns++;
  startWaiting(body);
  runner.host.clock.defer(() => {
    dialog.turning = false;
    runner.talks.turns--;
    stopWaiting(body);
    if (body.timedOut || runner.over || !isWanted(runner, pending, attempt)) dialog.close();
    else proceed(dialog);
    runner.pump();
  });
}

/** What goes wrong on the way is the failure of the workflow. */
function proceed(dialog: Dialog): void {
  try {
    goOn(dialog);
  } catch (error) {
    dialog.close();
    failGenerator(dialog.body, error);
  }
}

/** Takes what the body did, and tells it what is next. */
function goOn(dialog: Dialog): void {
  const { body, conversation } = dialog;
  const { startsNew, talks } = body.runner;
  const { listening } = talks;
  if (dialog.turning || dialog.alone || !dialog.asked) return;
  if (!startsNew) {
    listening.add(body);
    return;
  }
  listening.delete(body);
  for (let call = conversation.take(); call !== undefined; call = conversation.take()) {
    if (dialog.made >= dialog.recorded.length) {
      make(dialog, call);
      return;
    }
    again(dialog, call);
  }
  if (conversation.over !== null) finish(dialog, conversation.over);
  else tellNext(dialog);
}

/** M2 */
function again(dialog: Dialog, call: MadeCall): void {
  const { body, made, recorded } = dialog;
  const known = recorded[made] as Recorded;
  const now = labelOf(call);
  const values = { workflow: nameOf(body), index: made, recorded: known.label, now };
  if (known.label !== now) throw errorOf("NonDeterministicWorkflow", values);
  if (known.hash !== hashOf(body.runner.recorder as Recorder, call))
    throw errorOf("NonDeterministicWorkflow.input", values);
  dialog.made++;
  dialog.told = [];
}

/** The next one is taken when the run asks for it. */
function make(dialog: Dialog, call: MadeCall): void {
  const { body, told } = dialog;
  const { runner, pending } = body;
  const { recorder } = runner;
  const item: Call = told.length === 0 ? call : { ...call, told };
  const encoded = recorder?.encode(item, "its call") ?? "";
  if (recorder !== null) deepFreeze(item);
  dialog.made++;
  dialog.told = [];
  dialog.asked = false;
  runner.talks.careful.delete(body);
  runner.feed(frameEvent(pending, item), encoded);
}

function finish(dialog: Dialog, over: NonNullable<Conversation["over"]>): void {
  const { body, made, recorded } = dialog;
  const missing = recorded[made];
  dialog.close();
  if (missing !== undefined) {
    const values = { workflow: nameOf(body), index: made, recorded: missing.label };
    throw errorOf("NonDeterministicWorkflow.short", values, over.ok ? undefined : over.error);
  }
  if (over.ok) endGenerator(body, over.value);
  else failGenerator(body, over.error);
}

function tellNext(dialog: Dialog): void {
  const { body, conversation } = dialog;
  if (isTooEarly(body)) {
    body.runner.talks.held.add(body);
    return;
  }
  const delivery = dialog.next();
  if (delivery !== undefined) {
    dialog.told.push(delivery.call);
    conversation.tell(toldDelivery(body.runner, delivery));
    turn(dialog);
  } else if (conversation.waits) rest(dialog);
  else {
    body.runner.talks.alone.add(body);
    startWaiting(body);
  }
}

/** M11 */
function isTooEarly(body: Body): boolean {
  const { talks, recorder, state } = body.runner;
  return recorder !== null && talks.careful.has(body) && recorder.durable < state.seq;
}

/** M11: something has become durable. */
export function tellHeld(runner: Runner): void {
  for (const body of Array.from(runner.talks.held)) {
    runner.talks.held.delete(body);
    proceed(dialogOf(body));
  }
}

/** M3 */
function rest(dialog: Dialog): void {
  const { body, made, recorded, told, conversation } = dialog;
  const due = recorded[made];
  if (due !== undefined && told.length === due.told.length)
    throw errorOf("NonDeterministicWorkflow.missing", { workflow: nameOf(body), index: made, recorded: due.label });
  conversation.rest();
  body.runner.talks.listening.add(body);
}

/** It did something although it was told nothing. */
function stirred(dialog: Dialog): void {
  const { body } = dialog;
  if (dialog.turning) return;
  if (body.runner.talks.alone.delete(body)) stopWaiting(body);
  turn(dialog);
}

/** Bodies that something was delivered to. */
export function tell(runner: Runner): void {
  const { told } = runner.state;
  runner.state.told = null;
  for (const { body } of told ?? []) wake(body as Body | null);
}

/** All that are at rest: they may have been told nothing while the run was drained. */
export function wakeAll(runner: Runner): void {
  for (const body of Array.from(runner.talks.listening)) wake(body);
}

function wake(body: Body | null): void {
  if (body === null || !body.runner.talks.listening.has(body)) return;
  proceed(dialogOf(body));
}

function nameOf({ pending }: Body): string {
  return (pending.slot.op as OpSpec).name;
}
