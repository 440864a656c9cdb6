/** The clock that an engine goes by, for what is built on its public surface. */
import type { Clock } from "../ports/clock.ts";
import { systemClock } from "../ports/system.ts";
import type { Engine } from "./api.ts";

const clocks = new WeakMap<Engine, Clock>();

export function noteClock(engine: Engine, clock: Clock): void {
  clocks.set(engine, clock);
}

/** Of an engine that wraps another one, the system's. */
export function clockOf(engine: Engine): Clock {
  return clocks.get(engine) ?? systemClock;
}
