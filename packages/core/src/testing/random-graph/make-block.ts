/** Random races, fallbacks and `fail`s. */
import { fail, fallback } from "../../build/blocks/fallback.ts";
import { race } from "../../build/blocks/race.ts";
import { collect } from "../../build/collectors.ts";
import { text } from "../../build/text.ts";
import { derive } from "../../build/values.ts";
import { addBlock, fieldsOf, makeBody, recordOf, type BodyRequest, type Made } from "./block-body.ts";
import type { CaseParts } from "./case.ts";
import type { Step } from "./spec.ts";
import type { Known, Rolls, Wiring } from "./wiring.ts";

const loose = { collect, derive, fail, fallback, race, text } as unknown as Readonly<
  Record<string, (...given: unknown[]) => unknown>
>;

/** Who comes first is a matter of time. */
export function makeRace(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const first = wiring.pick(rolls.roll(), ["number"]);
  if (first === undefined || !parts.mayRace) return;
  parts.racy = true;
  if (rolls.chance(40)) parts.failing++;
  const arms = step.bodies.slice(0, 2 + rolls.below(2));
  const bodies: Made[] = [];
  parts.racing++;
  const bare = rolls.chance(50);
  const leaves = { levels: null };
  const armOf = (steps: readonly Step[]) => (): unknown => {
    const request = { around: wiring, home: first.region, steps, manners: { risky: true }, rolls, leaves };
    const returned = bodyOf(parts, first, bodies, request);
    const made = bodies.at(-1);
    if (made?.leaving === undefined) return returned;
    const raced = racedFor(made, first, bare);
    bodies[bodies.length - 1] = { ...made, returned: raced.fields, bare: raced.fields.size === 0 };
    return raced.record;
  };
  const ref = loose.race!(`x${step.id}`, Object.fromEntries(arms.map((steps, i) => [`a${i}`, armOf(steps)])));
  parts.racing--;
  addBlock(wiring, ref, first.region, bodies, fieldsOf(bodies, true), [first]);
}

/** What it begins with and what it returns say which items it is for, by `first`. */
function bodyOf(parts: CaseParts, first: Known, bodies: Made[], request: BodyRequest): unknown {
  const copied: Known = { ...first, ref: loose.derive!(first.ref, (n: number) => n + 1), plain: false };
  const made = makeBody(parts, { ...request, given: [...(request.given ?? []), copied] });
  const whole = untakenMaybe(made, request);
  bodies.push(whole === undefined ? made : { ...made, returned: new Map(), leaving: undefined, bare: true });
  return whole?.ref ?? { ...recordOf(made), first: first.ref };
}

/** What an arm of a race is raced for, if a stream leaves it: its items, or at the latest its end. */
function racedFor({ leaving, returned, wiring }: Made, first: Known, bare: boolean): Raced {
  const s = leaving?.ref;
  if (bare && wiring.pushed.length === 0) return { record: { s }, fields: new Map() };
  let all = s;
  for (let at = leaving?.region ?? null; at !== null && at !== first.region; at = at.outer)
    all = loose.collect!(all, { errors: "skip" });
  const n = loose.derive!([all, returned.get("n")?.ref ?? first.ref], ([, value]: [unknown, number]) => value);
  return { record: { s, n, first: n }, fields: new Map([["n", { ...first, ref: n }]]) };
}

interface Raced {
  readonly record: Record<string, unknown>;
  readonly fields: Made["returned"];
}

/** Not a ref: those are functions. */
function isRecord(returned: unknown): returned is object {
  return typeof returned === "object";
}

/** One value instead of a record: it may be untaken. Nothing in it says which items it is for. */
function untakenMaybe({ wiring }: Made, { home, rolls }: BodyRequest): Known | undefined {
  if (home.outer !== null || !rolls.chance(25)) return undefined;
  return wiring.pick(rolls.roll(), ["maybe"], ({ region }) => region === home);
}

export function makeFallback(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const first = wiring.pick(rolls.roll(), ["number"]);
  if (first === undefined) return;
  // Something is to be caught.
  if (rolls.chance(70)) parts.failing++;
  const bodies: Made[] = [];
  const request = { around: wiring, home: first.region, rolls, leaves: { levels: null } };
  const ref = loose.fallback!(
    `b${step.id}`,
    () =>
      bodyOf(parts, first, bodies, {
        ...request,
        steps: step.bodies[0] ?? [],
        manners: { risky: true, unsafe: parts.mayRace },
      }),
    (error: unknown) => {
      const { attempts, message } = error as { readonly attempts: unknown; readonly message: unknown };
      const given: Known[] = [
        { ...first, ref: error, type: "output", plain: false },
        { ...first, ref: attempts, type: "number", plain: false },
      ];
      const returned = bodyOf(parts, first, bodies, { ...request, steps: step.bodies[1] ?? [], given });
      return isRecord(returned) ? { ...returned, why: message } : returned;
    },
  );
  addBlock(wiring, ref, first.region, bodies, fieldsOf(bodies, true), [first]);
}

/** Only in the bodies of blocks: elsewhere it would be the end of most that follows. */
export function makeFail(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const value = wiring.pick(rolls.roll(), ["number"]);
  if (value === undefined || !wiring.block || parts.failing <= 0) return;
  parts.failing--;
  const name = `f${step.id}`;
  parts.mayFail.add(name);
  const message = loose.text!(["no ", ""], value.ref);
  const ref = loose.fail!(name, { message, ...(rolls.chance(50) ? { data: value.ref } : {}) });
  wiring.add({ ...value, ref, type: "maybe", plain: false });
}
