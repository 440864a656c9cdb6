import { Todo, type Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import { admit } from "./admission.ts";
import { continueGenerator, isGenerator } from "./generators.ts";
import type { Runner } from "./runner.ts";
import { performWait } from "./waiting-nodes.ts";

/** Does what an invocation is to do next, as its `todo` says. */
export function perform(runner: Runner, pending: Pending): void {
  if (pending.todo === Todo.retry) retryLater(runner, pending);
  else if ((pending.flags & Flag.waits) !== 0) performWait(runner, pending);
  else {
    pending.todo = Todo.none;
    if (isGenerator(pending)) continueGenerator(runner, pending);
    else if ((pending.flags & Flag.cached) !== 0) runner.host.cache.begin(runner, pending);
    else admit(runner, pending);
  }
}

function retryLater(runner: Runner, pending: Pending): void {
  runner.waits.add(pending, pending.due, () => {
    pending.todo = Todo.start;
    runner.perform(pending);
    runner.pump();
  });
}
