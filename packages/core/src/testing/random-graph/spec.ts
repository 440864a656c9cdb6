/**
 * A random graph as plain data. A step says what to make and holds the dice that decide of what: whichever step is
 * left out, the rest still makes a graph, so that a failing case can be cut down step by step.
 */
import { Dice } from "../dice.ts";

export const makes = [
  "op",
  "each",
  "collect",
  "reduce",
  "derive",
  "text",
  "orElse",
  "filter",
  "present",
  "push",
  "read",
  "call",
  "choose",
  "loop",
  "race",
  "fallback",
  "fail",
  "zip",
  "sweep",
  "sleep",
  "ask",
  "emit",
  "onEnd",
  "ephemeral",
] as const;
export type Make = (typeof makes)[number];

export interface Step {
  readonly make: Make;
  /** Unique in the case: names are made of it. */
  readonly id: number;
  /** Read one after the other by whoever makes the step; zeros make the simplest. */
  readonly dice: readonly number[];
  /** The body of a called graph; those of a block. */
  readonly bodies: readonly (readonly Step[])[];
}

export interface GraphSpec {
  readonly steps: readonly Step[];
  /** Which of what was made the graph returns. */
  readonly returns: readonly number[];
  readonly input: GraphInput;
  /** May use what makes the order of events show: racing cells, dropped items, time limits, `onFailure: "raise"`. */
  readonly racy: boolean;
  /** Ops that may be made to fail. */
  readonly failing: number;
  readonly errors: "record" | "raise";
  /** No op is unsafe: what would be is idempotent. */
  readonly safe?: boolean;
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
const weights: Readonly<Record<Make, number>> = {
  op: 14,
  each: 5,
  collect: 4,
  reduce: 4,
  derive: 2,
  text: 1,
  orElse: 1,
  filter: 2,
  present: 1,
  push: 2,
  read: 1,
  call: 2,
  choose: 4,
  loop: 3,
  race: 2,
  fallback: 3,
  fail: 1,
  zip: 4,
  sweep: 1,
  sleep: 1,
  ask: 2,
  emit: 1,
  onEnd: 1,
  // Put in by dice of their own, so that all other graphs stay what they are.
  ephemeral: 0,
};
const urn: readonly Make[] = makes.flatMap((make) => new Array<Make>(weights[make]).fill(make));
/** What graphs without blocks are made of. */
const plainUrn: readonly Make[] = urn.filter((make) => !isBlock(make));
const dicePerStep = 24;
/** How deep bodies may nest in bodies. */
const deepestBody = 3;
/** How many bodies a step has. */
const bodyCounts: Partial<Readonly<Record<Make, number>>> = {
  call: 1,
  choose: 2,
  loop: 1,
  race: 3,
  fallback: 2,
  onEnd: 1,
};

export function randomSpec(seed: number): GraphSpec {
  const dice = new Dice(seed, 1);
  const count = { next: 0 };
  const from = dice.chance(0.7) ? urn : plainUrn;
  const steps = randomSteps({ dice, count, from }, from === urn ? 4 + dice.below(8) : 5 + dice.below(10), 0);
  const own = new Dice(seed, 7);
  for (let more = own.chance(0.3) ? 1 + own.below(2) : 0; more > 0; more--) addEphemeral(steps, own, count);
  const returns = numbers(dice, 1 + dice.below(5));
  const racy = dice.chance(0.45);
  const failing = dice.of([0, 1, 1, 2, 9]);
  return {
    steps,
    returns,
    input: randomInput(dice),
    racy,
    failing,
    errors: racy && dice.chance(0.25) ? "raise" : "record",
  };
}

/** Somewhere among the steps, or in a body of one of them. */
function addEphemeral(steps: Step[], dice: Dice, count: { next: number }): void {
  const inside = steps.flatMap(({ bodies }) => bodies.flatMap((body) => (body.length > 0 ? [body as Step[]] : [])));
  const into = inside.length > 0 && dice.chance(0.4) ? dice.of(inside) : steps;
  const step: Step = { make: "ephemeral", id: count.next++, dice: numbers(dice, 80), bodies: [] };
  into.splice(1 + dice.below(into.length), 0, step);
}

export function isBlock(make: Make): boolean {
  return ["choose", "loop", "race", "fallback", "fail"].includes(make);
}

/** Something of it waits for the outside, passes items on, sweeps, or runs at the end; in whatever body. */
export function usesOf(steps: readonly Step[], makes: ReadonlySet<Make>): boolean {
  return steps.some(({ make, bodies }) => makes.has(make) || bodies.some((body) => usesOf(body, makes)));
}

interface Drawing {
  readonly dice: Dice;
  readonly count: { next: number };
  readonly from: readonly Make[];
}

function randomSteps(drawing: Drawing, length: number, depth: number, begins: readonly Make[] = []): Step[] {
  return Array.from({ length }, (_, i) => randomStep(drawing, depth, begins[i]));
}

function randomStep(drawing: Drawing, depth: number, begins: Make | undefined): Step {
  const { dice, count, from } = drawing;
  const drawn = begins ?? dice.of(from);
  const make = depth === deepestBody && bodyCounts[drawn] !== undefined ? "op" : drawn;
  const id = count.next++;
  const rolls = numbers(dice, dicePerStep);
  const bodies = Array.from({ length: bodyCounts[make] ?? 0 }, () =>
    randomSteps(drawing, 1 + dice.below(make === "call" ? 5 : 4 - depth), depth + 1, beginsOf(dice, make)),
  );
  return { make, id, dice: rolls, bodies };
}

/** An arm without anything that runs would always win its race, and a body without never fail. */
function beginsOf(dice: Dice, make: Make): Make[] {
  if (make === "race") return [dice.of(["op", "op", "op", "ask", "sleep"])];
  if (make === "fallback") return ["op"];
  return make !== "call" && dice.chance(0.6) ? ["op"] : [];
}

function numbers(dice: Dice, length: number): number[] {
  return Array.from({ length }, () => dice.below(1000));
}

function randomInput(dice: Dice): GraphInput {
  const small = (most: number): number[] => Array.from({ length: dice.below(most + 1) }, () => dice.below(100));
  const xs = dice.chance(0.1) ? [] : [dice.below(100), ...small(5)];
  const rows = Array.from({ length: dice.below(5) }, () => ({ v: dice.below(100), list: small(3) }));
  return { a: dice.below(100), xs, rows };
}
