/** Cuts a failing random graph down to what it needs to fail, one piece at a time. */
import type { GraphSpec, Step } from "./random-graph/spec.ts";

/** The smallest found within `tries` attempts for which `fails` holds; it holds for `spec`. */
export async function shrinkSpec(
  spec: GraphSpec,
  fails: (smaller: GraphSpec) => Promise<boolean>,
  tries = 500,
): Promise<GraphSpec> {
  let best = spec;
  let left = tries;
  for (let progress = true; progress && left > 0;) {
    progress = false;
    for (const smaller of smallerSpecs(best)) {
      if (left-- <= 0) break;
      if (!(await fails(smaller))) continue;
      best = smaller;
      progress = true;
      break;
    }
  }
  return best;
}

/** Every spec that lacks one thing of this one, the largest things first. */
function* smallerSpecs(spec: GraphSpec): Generator<GraphSpec> {
  for (const steps of smallerSteps(spec.steps)) yield { ...spec, steps };
  for (let i = 0; i < spec.returns.length && spec.returns.length > 1; i++)
    yield { ...spec, returns: without(spec.returns, i) };
  const { input } = spec;
  for (let i = 0; i < input.rows.length; i++) yield { ...spec, input: { ...input, rows: without(input.rows, i) } };
  for (let i = 0; i < input.xs.length; i++) yield { ...spec, input: { ...input, xs: without(input.xs, i) } };
}

function* smallerSteps(steps: readonly Step[]): Generator<Step[]> {
  for (let i = steps.length - 1; i >= 0; i--) yield without(steps, i);
  // What a block holds, without the block.
  for (let i = steps.length - 1; i >= 0; i--)
    for (const body of steps[i]?.bodies ?? []) yield steps.toSpliced(i, 1, ...body);
  for (let i = steps.length - 1; i >= 0; i--)
    for (const step of smallerStep(steps[i] as Step)) yield steps.with(i, step);
}

function* smallerStep(step: Step): Generator<Step> {
  for (let i = 0; i < step.bodies.length; i++)
    for (const body of smallerSteps(step.bodies[i] as readonly Step[]))
      yield { ...step, bodies: step.bodies.with(i, body) };
  for (let i = 0; i < step.dice.length; i++) if (step.dice[i] !== 0) yield { ...step, dice: step.dice.with(i, 0) };
}

function without<T>(list: readonly T[], index: number): T[] {
  return list.toSpliced(index, 1);
}
