import { onEnd } from "../../build/blocks/on-end.ts";
import { makeBody } from "./block-body.ts";
import type { CaseParts } from "./case.ts";
import { usesOf, type Make, type Step } from "./spec.ts";
import type { Known, Rolls, Wiring } from "./wiring.ts";

const loose = onEnd as unknown as (name: string, body: (end: unknown) => unknown, options: unknown) => void;

const asks: ReadonlySet<Make> = new Set<Make>(["ask", "call"]);

/** A finalizer of the run: what it makes is nobody else's. */
export function makeOnEnd(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  if (parts.top !== wiring) return;
  const short = rolls.chance(30) && parts.mayRace;
  // Nobody need answer in time.
  if (short || usesOf(step.bodies[0] ?? [], asks)) parts.racy = true;
  const body = (end: unknown): void => {
    const { status } = end as { readonly status: unknown };
    const known: Known = { ref: status, type: "maybe", region: wiring.home, ends: new Set(), plain: false };
    const steps = step.bodies[0] ?? [];
    makeBody(parts, { around: wiring, home: wiring.home, steps, given: [known], rolls, ownCells: true });
  };
  loose(`d${step.id}`, body, { timeout: short ? 40 : "1d" });
}
