/**
 * A random graph as plain data. A step says what to make and holds the dice that decide of what: whichever step is
 * left out, the rest still makes a graph, so that a failing case can be cut down step by step.
 */
import { Dice } from "../dice.ts";

export const makes = ["op", "each", "collect", "reduce", "derive", "text", "orElse", "filter", "present", "push", "read", "call"] as const;
export type Make = (typeof makes)[number];

export interface Step {
  readonly make: Make;
  /** Unique in the case: names are made of it. */
  readonly id: number;
  /** Read one after the other by whoever makes the step; zeros make the simplest. */
  readonly dice: readonly number[];
  /** The body of a called graph. */
  readonly body: readonly Step[];
}

export interface GraphSpec {
  readonly steps: readonly Step[];
  /** Which of what was made the graph returns. */
  readonly returns: readonly number[];
  readonly input: GraphInput;
  readonly errors: "record" | "raise";
}

export interface Row {
  readonly v: number;
  readonly list: readonly number[];
}

export interface GraphInput {
  readonly a: number;
  readonly xs: readonly number[];
  readonly rows: readonly Row[];
}

/** How often each is drawn. */
const weights: Readonly<Record<Make, number>> = { op: 9, each: 4, collect: 4, reduce: 2, derive: 2, text: 1, orElse: 1, filter: 2, present: 1, push: 2, read: 1, call: 2 };
const urn: readonly Make[] = makes.flatMap((make) => new Array<Make>(weights[make]).fill(make));
const dicePerStep = 14;

export function randomSpec(seed: number): GraphSpec {
  const dice = new Dice(seed, 1);
  const count = { next: 0 };
  const steps = randomSteps(dice, count, 3 + dice.below(10), 2);
  const returns = numbers(dice, 1 + dice.below(5));
  return { steps, returns, input: randomInput(dice), errors: dice.chance(0.15) ? "raise" : "record" };
}

function randomSteps(dice: Dice, count: { next: number }, length: number, calls: number): Step[] {
  return Array.from({ length }, () => {
    const drawn = dice.of(urn);
    const make = drawn === "call" && calls === 0 ? "op" : drawn;
    const id = count.next++;
    const body = make === "call" ? randomSteps(dice, count, 1 + dice.below(5), calls - 1) : [];
    return { make, id, dice: numbers(dice, dicePerStep), body };
  });
}

function numbers(dice: Dice, length: number): number[] {
  return Array.from({ length }, () => dice.below(1000));
}

function randomInput(dice: Dice): GraphInput {
  const small = (most: number): number[] => Array.from({ length: dice.below(most + 1) }, () => dice.below(100));
  const xs = small(6);
  const rows = Array.from({ length: dice.below(5) }, () => ({ v: dice.below(100), list: small(3) }));
  return { a: dice.below(100), xs, rows };
}
