import { Flag } from "../state/tables.ts";
import type { Pending } from "../state/pending.ts";
import { Claims } from "./claims.ts";
import type { Runner } from "./runner.ts";
import { Totals } from "./totals.ts";

/** Ops with limits of their own. False: its time is over, or it waits for a resource and proceeds by itself. */
export function takeUp(runner: Runner, pending: Pending): boolean {
  const { flags, slot } = pending;
  if ((flags & Flag.total) !== 0 && !(runner.totals ??= new Totals(runner)).admit(pending)) return false;
  if ((flags & Flag.needs) === 0) return true;
  const gates = runner.host.resources.gatesOf(slot);
  return gates === null || (runner.claims ??= new Claims(runner)).obtain(pending, gates);
}
