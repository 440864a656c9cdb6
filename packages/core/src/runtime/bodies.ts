/** Bodies that give one output: inline and async ops. */
import { errorOf } from "../base/error.ts";
import { deepFreeze } from "../base/freeze.ts";
import { asPromise } from "../base/thenable.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { Pending } from "../state/pending.ts";
import type { OpBody } from "../state/program.ts";
import { Flag } from "../state/tables.ts";
import { outputEvent } from "../scheduler/event.ts";
import { closeBody, isWanted, type Body } from "./body.ts";
import { runElsewhere } from "./elsewhere.ts";
import { reportFailure } from "./failure.ts";
import { afterStart } from "./in-doubt.ts";
import { whileLeased } from "./lease.ts";
import { OpContext } from "./op-context.ts";
import type { Runner } from "./runner.ts";
import { watchSlow } from "./slow.ts";
import { armRunTimeout } from "./timeouts.ts";
import { validate } from "./validate.ts";

export function startBody(runner: Runner, pending: Pending): void {
  if (runner.observe !== null) runner.observe.attemptStarted(pending);
  let result: unknown;
  let later: Promise<unknown> | null;
  try {
    if (runner.recorder !== null) deepFreeze(pending.input);
    const context = new OpContext(runner, pending);
    const { around } = runner.host;
    result = around === null ? run(runner, pending, context) : around.run(context, () => run(runner, pending, context));
    later = asPromise(result);
  } catch (error) {
    reportFailure(runner, pending, error);
    return;
  }
  if (later === null) returned(runner, pending, result);
  else follow(runner, pending, later);
}

function run(runner: Runner, pending: Pending, context: OpContext): unknown {
  if ((pending.flags & (Flag.validates | Flag.elsewhere | Flag.unsafe)) === 0)
    return bodyOf(runner, pending)(pending.input, context);
  const body = (pending.flags & Flag.elsewhere) === 0 ? bodyOf(runner, pending) : bodyElsewhere(runner, pending);
  if ((pending.flags & Flag.unsafe) === 0 || runner.recorder === null)
    return runValidated(runner, pending, context, body);
  return runValidated(runner, pending, context, (input, ctx) => afterStart(runner, pending, () => body(input, ctx)));
}

function bodyElsewhere(runner: Runner, pending: Pending): OpBody {
  return (input) => runElsewhere(runner, pending, input);
}

function bodyOf(runner: Runner, pending: Pending): OpBody {
  return runner.state.program.bodies[pending.id] as OpBody;
}

/**
 * The body sees what its input schema makes of the input, its consumers what its output schema makes of the output.
 * Validation is part of the body: while an asynchronous schema works, the body's permit and timers are in force.
 */
function runValidated(runner: Runner, pending: Pending, context: OpContext, body: OpBody): unknown {
  const op = pending.slot.op as OpSpec;
  const run = (input: unknown): unknown => checked(op, pending, body(input, context));
  const input =
    op.input === null ? pending.input : validate(op.input, pending.input, `the input of "${pending.slot.name}"`);
  return input instanceof Promise ? input.then((valid) => whileLeased(runner, () => run(valid))) : run(input);
}

function checked(op: OpSpec, pending: Pending, output: unknown): unknown {
  if (op.output === null) return output;
  const { output: schema } = op;
  const later = asPromise(output);
  const check = (value: unknown): unknown => validate(schema, value, `the output of "${pending.slot.name}"`);
  return later === null ? check(output) : later.then(check);
}

/** A plain function that returns what a generator function made: its kind was not known at build. */
function isIterator(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    return typeof (value as { next?: unknown }).next === "function";
  } catch {
    return false;
  }
}

function follow(runner: Runner, pending: Pending, result: Promise<unknown>): void {
  const { attempt } = pending;
  if (runner.over && !(runner.orphans?.has(pending, attempt) ?? false)) {
    // The body ended its own run before it returned: nobody waits for it, and it never had a permit, but what it has of
    // limited resources (C3).
    const settled = (): void => runner.claims?.release(pending, attempt);
    result.then(settled, settled);
    runner.host.counts.late++;
    return;
  }
  runner.entered();
  if ((pending.flags & Flag.timed) !== 0 || runner.host.slowOp !== 0) watch(runner, pending);
  result.then(
    (value) => succeeded(runner, pending, attempt, value),
    (error: unknown) => failed(runner, pending, attempt, error),
  );
}

/** What the body did before it returned a promise may have ended what it is for: nobody would take the timers away. */
function watch(runner: Runner, pending: Pending): void {
  if (!isWanted(runner, pending, pending.attempt)) return;
  // Of one that was sent elsewhere it counts from when it begins there.
  const isSent = ((pending.body as Body | null)?.execution ?? null) !== null;
  if ((pending.flags & Flag.timed) !== 0 && !isSent) armRunTimeout(runner, pending);
  if (runner.host.slowOp !== 0) watchSlow(runner, pending);
}

function succeeded(runner: Runner, pending: Pending, attempt: number, value: unknown): void {
  if (runner.wants(pending, attempt)) returned(runner, pending, value);
  runner.left(pending, attempt);
}

function failed(runner: Runner, pending: Pending, attempt: number, error: unknown): void {
  if (runner.wants(pending, attempt)) reportFailure(runner, pending, error);
  runner.left(pending, attempt);
}

/** The body is done: its output becomes bytes if there is a journal, and is fed. */
function returned(runner: Runner, pending: Pending, value: unknown): void {
  if (isIterator(value)) {
    reportFailure(runner, pending, errorOf("NotAStream.generator", { node: pending.slot.name }));
    return;
  }
  if ((pending.flags & Flag.cached) !== 0 && !runner.host.cache.keep(runner, pending, value)) return;
  deliver(runner, pending, value);
}

/** An output out of the cache: an event and a record like others, but for a mark. */
export function deliverCached(runner: Runner, pending: Pending, output: unknown): void {
  const encoded = encodedOutput(runner, pending, output);
  if (encoded === null) return;
  closeBody(pending);
  if (runner.observe !== null) runner.observe.fromCache();
  runner.feed(outputEvent(pending, output), `${encoded},1`);
}

/** An output of a body. */
function deliver(runner: Runner, pending: Pending, output: unknown): void {
  const encoded = encodedOutput(runner, pending, output);
  if (encoded === null) return;
  closeBody(pending);
  if (runner.recorder === null) runner.feedOutput(pending, output);
  else runner.feed(outputEvent(pending, output), encoded);
}

/** Empty without a journal; null: it cannot be kept, which is the op's failure. */
function encodedOutput(runner: Runner, pending: Pending, output: unknown): string | null {
  if (runner.recorder === null) return "";
  if ((pending.flags & Flag.unrecorded) !== 0) {
    deepFreeze(output);
    return "";
  }
  try {
    const encoded = runner.recorder.encode(output, "output");
    deepFreeze(output);
    return encoded;
  } catch (error) {
    reportFailure(runner, pending, error);
    return null;
  }
}
