/**
 * Interleaved repeats: ours and the floor in turn, in changing order, so that whatever the machine does meanwhile
 * happens to both. Compilation is left to the warm-up; each repeat starts with an empty nursery, and lasts long enough to
 * pay for the garbage it makes.
 */
import { collectYoung } from "./garbage.ts";
import type { Measurement, Settings } from "./figure.ts";
import { median, spanOf } from "./statistics.ts";

/** One of the two things that are compared. */
export interface Side {
  /** Ops, items, runs or records per call of `run`: what the figure is per. */
  readonly units: number;
  /** Untimed, before each repeat. A side that has it is run once per repeat. */
  prepare?(): Promise<void>;
  /** Timed; over when what it returns settles. */
  run(): unknown;
  /** Untimed, after each repeat. */
  finish?(): Promise<void>;
}

export interface Effort {
  /** Pairs that count. */
  readonly repeats: number;
  /** Milliseconds that each side runs before anything is timed. */
  readonly warmUp: number;
  /** Milliseconds that a repeat takes at least, unless it must be prepared. */
  readonly sample: number;
}

/** Nanoseconds per unit, repeat by repeat. */
export interface Pairs {
  readonly ours: readonly number[];
  readonly floor: readonly number[];
}

export function effort({ quick }: Settings, full: Partial<Effort> = {}): Effort {
  if (quick) return { repeats: 3, warmUp: 30, sample: 5 };
  return { repeats: 31, warmUp: 1_500, sample: 30, ...full };
}

export async function measurePairs(ours: Side, floor: Side, { repeats, warmUp, sample }: Effort): Promise<Pairs> {
  const oursLoops = await warm(ours, warmUp, sample);
  const floorLoops = await warm(floor, warmUp, sample);
  const found = { ours: [] as number[], floor: [] as number[] };
  // The first pair only brings both back from the other's warm-up.
  for (let i = -1; i < repeats; i++) {
    const floorFirst = i % 2 === 0;
    const before = floorFirst ? await repeat(floor, floorLoops) : 0;
    const own = await repeat(ours, oursLoops);
    const other = floorFirst ? before : await repeat(floor, floorLoops);
    if (i < 0) continue;
    found.ours.push(own);
    found.floor.push(other);
  }
  return found;
}

/** Runs until it is compiled, and says how many calls fill a repeat. */
async function warm(side: Side, warmUp: number, sample: number): Promise<number> {
  if (side.prepare !== undefined) {
    const until = performance.now() + warmUp;
    do await repeat(side, 1);
    while (performance.now() < until);
    return 1;
  }
  const started = performance.now();
  let calls = 0;
  do {
    calls++;
    await side.run();
  } while (performance.now() - started < warmUp);
  const perCall = (performance.now() - started) / calls;
  // The beginning was slower than the rest will be.
  return Math.max(1, Math.ceil((2 * sample) / perCall));
}

async function repeat(side: Side, loops: number): Promise<number> {
  await side.prepare?.();
  await collectYoung();
  const started = process.hrtime.bigint();
  for (let i = 0; i < loops; i++) {
    const result = side.run();
    if (result instanceof Promise) await result;
  }
  const nanoseconds = Number(process.hrtime.bigint() - started);
  await side.finish?.();
  return nanoseconds / (loops * side.units);
}

type Numbers = Omit<Measurement, "notes">;

/** Time per unit: nanoseconds divided by `per`. */
export function timesOf({ ours, floor }: Pairs, per = 1): Numbers {
  return numbersOf(
    ours.map((nanoseconds) => nanoseconds / per),
    floor.map((nanoseconds) => nanoseconds / per),
  );
}

/** Units per second. */
export function ratesOf({ ours, floor }: Pairs): Numbers {
  return numbersOf(
    ours.map((nanoseconds) => 1e9 / nanoseconds),
    floor.map((nanoseconds) => 1e9 / nanoseconds),
  );
}

export function numbersOf(ours: readonly number[], floor: readonly number[]): Numbers {
  return {
    value: median(ours),
    floor: median(floor),
    values: spanOf(ours),
    ratios: spanOf(ours.map((own, i) => own / (floor[i] ?? Number.NaN))),
    repeats: ours.length,
  };
}
