import { Todo, type Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import { admit } from "./admission.ts";
import { converse } from "./conversations.ts";
import { continueGenerator, isGenerator } from "./generators.ts";
import { recall } from "./recall.ts";
import type { Runner } from "./runner.ts";
import { takeUp } from "./take-up.ts";
import { performWait } from "./waiting-nodes.ts";

/** Does what an invocation is to do next, as its `todo` says. */
export function perform(runner: Runner, pending: Pending): void {
  if (runner.state.kept !== null && recall(runner, pending)) return;
  if (pending.todo === Todo.retry) retryLater(runner, pending);
  else if ((pending.flags & Flag.waits) !== 0) performWait(runner, pending);
  else {
    pending.todo = Todo.none;
    if ((pending.flags & Flag.cached) !== 0) runner.host.cache.begin(runner, pending);
    else begin(runner, pending);
  }
}

/** Without a kept output: it gets what it must have, and then a permit. */
export function begin(runner: Runner, pending: Pending): void {
  if ((pending.flags & (Flag.needs | Flag.total)) === 0 || takeUp(runner, pending)) proceed(runner, pending);
}

/** The invocation has what it must have before it asks for a permit. */
export function proceed(runner: Runner, pending: Pending): void {
  if (!isGenerator(pending)) {
    admit(runner, pending);
    return;
  }
  if ((pending.flags & Flag.told) !== 0) {
    converse(runner, pending);
    return;
  }
  if (runner.claims !== null) runner.claims.begin(pending);
  continueGenerator(runner, pending);
}

function retryLater(runner: Runner, pending: Pending): void {
  runner.waits.add(pending, pending.due, () => {
    pending.todo = Todo.start;
    runner.state.effects.push(pending);
    runner.pump();
  });
}
