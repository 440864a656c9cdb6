/** Random loops: a state of a number, a counter and at times a list; they end by the counter at the latest. */
import { loop } from "../../build/blocks/loop.ts";
import { derive } from "../../build/values.ts";
import { addBlock, makeBody, recordOf, type Made } from "./block-body.ts";
import type { CaseParts } from "./case.ts";
import type { Step } from "./spec.ts";
import type { Known, KnownType, Rolls, Wiring } from "./wiring.ts";

const loose = { derive, loop } as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;

type State = Readonly<Record<"n" | "k" | "l", unknown>>;

export function makeLoop(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const first = wiring.pick(rolls.roll(), ["number"]);
  if (first === undefined) return;
  const name = `l${step.id}`;
  const listed = rolls.chance(40);
  const options = optionsOf(parts, name, rolls);
  const until = untilOf(parts, step, rolls);
  const separate = rolls.chance(50);
  let made: Made | null = null;
  const initial = { n: first.ref, k: 0, ...(listed ? { l: [step.id, 2] } : {}) };
  const ref = loose.loop!(name, options, initial, (state: unknown) => {
    made = makeBody(parts, {
      around: wiring,
      home: first.region,
      steps: step.bodies[0] ?? [],
      given: stateOf(state as State, first, listed),
      rolls,
      ...(separate && { leaves: { levels: null } }),
    });
    const { n, l, s } = recordOf(made);
    const { k } = state as State;
    const next = {
      n,
      k: loose.derive!(k, (count: number) => count + 1),
      ...(listed ? { l: l ?? (state as State).l } : {}),
    };
    return { next, until: loose.derive!([k, n], until), ...(separate ? { result: resultOf(n, k, s) } : {}) };
  });
  const fields = new Map<string, KnownType>([
    ["n", "number"],
    ["k", "number"],
    ...(listed && !separate ? [["l", "list"] as const] : []),
  ]);
  addBlock(wiring, ref, first.region, made === null ? [] : [made], fields, [first]);
}

/** Nodes that run in it tell which items it is for. */
function resultOf(n: unknown, k: unknown, s: unknown): unknown {
  return s === undefined ? { n, k } : { n, k, first: k, s };
}

function stateOf(state: State, first: Known, listed: boolean): Known[] {
  const known: Known[] = [
    { ...first, ref: state.k, type: "number", plain: false },
    { ...first, ref: state.n, type: "number", plain: false },
  ];
  return listed ? [...known, { ...first, ref: state.l, type: "list", plain: true }] : known;
}

function optionsOf(parts: CaseParts, name: string, rolls: Rolls): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  const parallel = rolls.chance(30) ? 1 + rolls.below(3) : undefined;
  if (parallel !== undefined) options["parallel"] = parallel;
  if (!rolls.chance(35)) return options;
  options["max"] = 1 + rolls.below(3);
  const fails = rolls.chance(30) && parts.failing > 0;
  if (!fails) options["onLimit"] = "exit";
  else {
    parts.failing--;
    parts.mayFail.add(name);
  }
  return options;
}

/** True at the third iteration at the latest; at times sooner, for a reason of the data or for none that lasts. */
function untilOf(parts: CaseParts, step: Step, rolls: Rolls): (state: readonly [number, number]) => boolean {
  const most = 1 + rolls.below(3);
  const byData = rolls.chance(40);
  const fickle = rolls.chance(20) && parts.mayRace;
  const { theatre } = parts;
  const until = ([k, n]: readonly [number, number]): boolean =>
    k + 1 >= most || (byData && (n + step.id) % 3 === 0) || (fickle && theatre.mood === 1);
  if (!fickle) return until;
  parts.racy = true;
  parts.fickle.add(until);
  return until;
}
