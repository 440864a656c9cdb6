import { openInvocations } from "../state/invocations.ts";
import { Todo, type Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import { Body, notWanted } from "./body.ts";
import { closePorts } from "./live-ports.ts";
import type { Runner } from "./runner.ts";

/** Invocations that a step swept: their bodies are aborted; who waits for a start or for a time never gets it. */
export function letGo(runner: Runner, swept: readonly Pending[]): void {
  const reason = notWanted();
  for (const pending of swept) {
    runner.waits.cancel(pending);
    runner.totals?.done(pending);
    if ((pending.flags & Flag.cached) !== 0) runner.host.cache.letGo(pending);
    if (pending.todo === Todo.none || pending.body !== null) abort(runner, pending, reason);
    else if (runner.claims !== null) runner.claims.drop(pending, pending.attempt);
  }
}

/** The run ended otherwise than by its last body, or went to another engine: those at work are told, and who sends to it. */
export function abortBodies(runner: Runner, reason: Error): void {
  closePorts(runner);
  for (const { body } of openInvocations(runner.state)) if (body !== null) (body as Body).abort(reason);
}

/** As with a time-out, the body keeps its permit until it settles, or for the grace. */
function abort(runner: Runner, pending: Pending, reason: Error): void {
  const body = (pending.body as Body | null) ?? new Body(runner, pending, pending.attempt);
  body.timedOut = true;
  body.abort(reason);
  pending.body = null;
  runner.orphaned(body);
}
