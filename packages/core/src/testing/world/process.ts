/** One process of the world: its clock, its luck, and what became of it. */
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { BodyWatch } from "./instrument.ts";
import type { Ownership } from "./track.ts";
import type { Actor, World } from "./world.ts";

/** What bodies that need time and chance are given instead of the host's: `options.resources` of `simulate`. */
export interface Machine {
  /** Milliseconds since 1970, as this process believes. */
  now(): number;
  /** Resolves after `ms` milliseconds of the simulation; never, if the process dies before. */
  sleep(ms: number): Promise<void>;
  /** In [0, 1), drawn from the seed; another one in every process, as chance is. */
  random(): number;
}

export class Process implements Actor {
  readonly name: string;
  readonly world: World;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly machine: Machine;
  /** Another one in every life: what fickle functions go by. */
  readonly mood: number;
  state: "up" | "stalled" | "dead" = "up";
  /** Milliseconds that its wall clock is ahead. */
  skew = 0;
  /** Its lease may have lapsed. */
  lapsed = false;
  /** It gets no answers but errors until then. */
  cutOffUntil = 0;
  /** What it holds, by run. */
  readonly owned: Map<string, Ownership> = new Map();
  /** Bodies that wait for something, by path: of the world, or of something else. */
  readonly outside: Map<string, number> = new Map();
  #held: (() => void)[] = [];
  #ids = 0;

  constructor(world: World, name: string, mood: number) {
    this.world = world;
    this.name = name;
    this.mood = mood;
    const now = (): number => world.now + this.skew;
    this.clock = {
      now,
      monotonic: () => world.now,
      timer: (ms, callback) => world.timer(this, ms, callback),
      background: (ms, callback) => world.timer(this, ms, callback, true),
      defer: (callback) => this.later(() => world.turn(this, callback)),
    };
    this.entropy = { random: () => world.dice.fraction(), runId: () => `${name}-${this.#ids++}` };
    this.machine = {
      now,
      // A body's own, not its engine's: nobody stops it when the engine closes.
      sleep: (ms) => new Promise((resolve) => void world.timer(null, ms, () => this.reach(resolve))),
      random: () => world.dice.fraction(),
    };
  }

  later(happen: () => void): void {
    this.world.later(this, happen);
  }

  /** A body lets others go first. */
  #pause(): Promise<void> {
    return new Promise((resolve) => this.later(resolve));
  }

  hold(happen: () => void): void {
    this.#held.push(happen);
  }

  /** A reply reaches it: at once, when it wakes, or never. */
  reach(reply: () => void): void {
    if (this.state === "up") reply();
    else if (this.state === "stalled") this.hold(reply);
  }

  stall(): void {
    if (this.state === "up") this.state = "stalled";
  }

  wake(): void {
    if (this.state !== "stalled") return;
    this.state = "up";
    for (const happen of this.#held.splice(0)) this.later(happen);
  }

  kill(): void {
    this.state = "dead";
    this.#held = [];
  }

  /** Of the bodies that run here. `keys`: look at their idempotency keys, a hash each. */
  watch(keys: boolean): BodyWatch {
    const count = (path: string, change: number): void => {
      this.outside.set(path, (this.outside.get(path) ?? 0) + change);
    };
    return {
      enter: (ctx) => {
        if (this.state !== "dead") this.owned.get(ctx.runId)?.enter(ctx, keys);
      },
      asked: (path) => count(path, 1),
      gave: (path) => count(path, -1),
      pause: () => this.#pause(),
    };
  }
}
