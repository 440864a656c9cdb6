/** Permits: how many bodies of a run, and of all runs of the engine, are active at once (rule 11). */
import { isCurrent, PendingQueue, Todo, type Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import { startBody } from "./bodies.ts";
import { isLeased } from "./lease.ts";
import type { Runner } from "./runner.ts";

/** Starts the body, or puts the invocation behind those that wait for a permit. */
export function admit(runner: Runner, pending: Pending): void {
  if (runner.waiting === null && hasPermit(runner)) {
    start(runner, pending);
    return;
  }
  pending.todo = Todo.start;
  runner.waiting ??= new PendingQueue();
  runner.waiting.push(pending);
  askHost(runner);
}

/** A body that returned at once has used its resources; one that returned a promise uses them until it settles. */
function start(runner: Runner, pending: Pending): void {
  const { claims } = runner;
  if (claims === null || (pending.flags & Flag.needs) === 0) {
    startBody(runner, pending);
    return;
  }
  const { active } = runner;
  const { attempt } = pending;
  claims.begin(pending);
  startBody(runner, pending);
  if (runner.active === active) runner.claims?.release(pending, attempt);
}

function hasPermit(runner: Runner): boolean {
  const { permits } = runner.host;
  return runner.active < runner.options.cap && (permits === null || permits.free);
}

/** A permit came back, or the lease was renewed. */
export function admitWaiting(runner: Runner): void {
  while (runner.waiting !== null && runner.startsNew && isLeased(runner) && hasPermit(runner)) {
    const pending = runner.waiting.take();
    if (runner.waiting.empty) runner.waiting = null;
    if (pending === null || !isCurrent(pending)) continue;
    pending.todo = Todo.none;
    start(runner, pending);
  }
  if (runner.waiting !== null) askHost(runner);
}

/** The engine's cap is what holds this run back: ask to be woken when one of its permits is free. */
function askHost(runner: Runner): void {
  const { permits } = runner.host;
  if (permits === null || permits.free || runner.asked) return;
  runner.asked = true;
  permits.whenFree(() => {
    runner.asked = false;
    admitWaiting(runner);
    runner.pump();
  });
}
