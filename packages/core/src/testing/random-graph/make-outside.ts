/** Random sleeps, questions and emissions. */
import { emit, interrupt, sleep } from "../../build/outside.ts";
import { derive } from "../../build/values.ts";
import type { Verdict } from "../../events/interrupt.ts";
import type { StandardSchemaV1 } from "../../model/standard-schema.ts";
import { hashOf } from "./bodies.ts";
import type { CaseParts } from "./case.ts";
import type { Step } from "./spec.ts";
import { blocks, endsOf, endsSeenFrom, type Known, type KnownType, type Rolls, type Wiring } from "./wiring.ts";

const loose = { derive, emit, interrupt, sleep } as unknown as Readonly<
  Record<string, (...given: unknown[]) => unknown>
>;

const answerable: readonly KnownType[] = ["number", "maybe", "list"];

/** What a question is answered with: the same whoever answers, and whenever. */
export function answerTo(path: string): number {
  return hashOf(path, "answer") % 90;
}

/** What is said of a body in doubt; `mood`: from 0 to 1. */
export function verdictOn(path: string, isStream: boolean, mood: number): Verdict {
  const v = answerTo(path);
  if (mood < 0.4) return { rerun: true };
  if (mood < 0.6 || isStream) return { fail: `nobody knows about ${v}` };
  return { output: { v, list: [v, v + 1], maybe: null, rows: [] } };
}

/** Takes numbers, and gives the next one. */
const answer: StandardSchemaV1<number, number> = {
  "~standard": {
    version: 1,
    vendor: "millrace",
    validate: (value) =>
      typeof value === "number" ? { value: value + 1 } : { issues: [{ message: "expected a number" }] },
  },
};

interface Waiting {
  readonly from: Known;
  readonly options: Record<string, unknown>;
  readonly ends: ReadonlySet<Known["region"]>;
}

/** What it is about, and at times what it waits for. */
function pickWaiting(wiring: Wiring, rolls: Rolls): Waiting | undefined {
  const from = wiring.pick(rolls.roll(), answerable);
  if (from === undefined) return undefined;
  const after = wiring.pick(
    rolls.roll(),
    ["number", "output", "nothing"],
    (known) => !blocks(from.region, endsSeenFrom(known, from.region)),
  );
  const waits = after !== undefined && rolls.chance(30) ? [after] : [];
  const ends = endsOf([from, ...wiring.after]);
  for (const known of waits) for (const end of endsSeenFrom(known, from.region)) ends.add(end);
  return { from, ends, options: waits.length === 0 ? {} : { after: waits.map(({ ref }) => ref) } };
}

export function makeSleep(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const waiting = pickWaiting(wiring, rolls);
  if (waiting === undefined) return;
  const { from, ends, options } = waiting;
  const name = `p${step.id}`;
  const long = rolls.chance(30);
  const breaks = rolls.chance(10) && parts.failing > 0;
  if (breaks) {
    parts.failing--;
    parts.mayFail.add(name);
  }
  const fn = (value: unknown): number => {
    const sum = JSON.stringify(value).length + step.id;
    if (breaks && sum % 3 === 0) return -1;
    return long ? 10_000 + (sum % 2) * 60_000 : (sum % 4) * 30;
  };
  parts.partial.add(fn);
  const ref = loose.sleep!(name, loose.derive!(from.ref, fn), options);
  wiring.add({ ref, type: "nothing", region: from.region, ends, plain: false });
}

/** Whether its time or its answer comes first is a matter of who is quick. */
export function makeAsk(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const waiting = pickWaiting(wiring, rolls);
  if (waiting === undefined) return;
  const { from, ends, options } = waiting;
  const name = `q${step.id}`;
  const all: Record<string, unknown> = { ...options, answer };
  const timed = rolls.chance(50) && parts.mayRace;
  const fails = rolls.chance(40) && parts.failing > 0;
  const soon = rolls.chance(50);
  if (timed) {
    parts.racy = true;
    all["timeout"] = soon ? 100 : 60_000;
    if (!fails) all["default"] = step.id;
    else parts.failing--;
  }
  const ref = loose.interrupt!(name, { about: from.ref }, all);
  wiring.add({ ref, type: "number", region: from.region, ends, plain: false });
}

export function makeEmit(_parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const waiting = pickWaiting(wiring, rolls);
  if (waiting === undefined) return;
  const { from, ends, options } = waiting;
  const ordered = rolls.chance(40) && from.region.depth > wiring.home.depth;
  const ref = loose.emit!(`e${step.id}`, from.ref, ordered ? { ...options, ordered } : options);
  wiring.add({ ref, type: "nothing", region: from.region, ends, plain: false });
}
