import { encodedOf, recalledEvent, takesNow } from "../scheduler/recalled.ts";
import type { Pending } from "../state/pending.ts";
import type { Runner } from "./runner.ts";

/** A fork: answers the invocation from what was kept of its origin. False: nothing was, and it does what it is to do. */
export function recall(runner: Runner, pending: Pending): boolean {
  const { kept } = runner.state;
  const answer = kept?.peek(pending);
  if (kept === null || answer === undefined || !takesNow(pending, answer)) return false;
  kept.take(answer.kind, answer.slot, answer.at);
  if (kept.empty) runner.state.kept = null;
  runner.feed(recalledEvent(pending, answer), encodedOf(answer));
  return true;
}
