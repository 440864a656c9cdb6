import { RecordKind } from "../events/record.ts";
import { encodedOf, recalledEvent, takesNow } from "../scheduler/recalled.ts";
import { isCurrent, Todo, type Pending } from "../state/pending.ts";
import type { Runner } from "./runner.ts";

/**
 * A fork: answers the invocation from what was kept of its origin. False: nothing was, and it does what it is to do.
 *
 * An answer that leaves something to do puts the invocation among the effects, and the next one is taken when it comes
 * round. A question that has been answered is open to nobody meanwhile: its answer is taken at once, and so is what comes
 * behind a deadline, which leaves nothing to do.
 */
export function recall(runner: Runner, pending: Pending): boolean {
  let taken = recallOne(runner, pending);
  if (taken === null) return false;
  while (taken === RecordKind.deadlineSet) taken = recallOne(runner, pending);
  if (pending.todo === Todo.wait) recallOne(runner, pending);
  return taken !== null;
}

function recallOne(runner: Runner, pending: Pending): RecordKind | null {
  const { kept } = runner.state;
  if (kept === null || !isCurrent(pending)) return null;
  const answer = kept.peek(pending);
  if (answer === undefined || !takesNow(pending, answer)) return null;
  kept.take(answer.kind, answer.slot, answer.at);
  if (kept.empty) runner.state.kept = null;
  runner.feed(recalledEvent(pending, answer), encodedOf(answer));
  return answer.kind;
}
