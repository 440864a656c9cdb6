import { addressOf } from "../state/path.ts";
import { openInvocations } from "../state/invocations.ts";
import type { RunState } from "../state/run-state.ts";

/** `[[slot, at], …]` of the bodies that a new owner may run again. */
export function openInvocationAddresses(run: RunState): string {
  return JSON.stringify(openInvocations(run).map((pending) => [pending.slot.id, addressOf(pending.context)]));
}
