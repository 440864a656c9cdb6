/**
 * Where one life of an engine is played: a clock that only moves when it is told to, and everything that is waiting to
 * happen (a body's wait, a commit, a timer) in one bag from which the dice pick the next.
 *
 * The same seed plays the same life. A dead stage does nothing any more: what it held is abandoned as a process is.
 */
import type { Clock } from "../../ports/clock.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { Dice } from "../dice.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** How often the clock jumps to the next timer while something else could happen. */
const impatience = 0.08;
/** A life that takes longer goes round in circles. */
const mostEvents = 300_000;
/** What is further away than this, in milliseconds, comes only when there is nothing else. */
const far = 100_000;

export class Stage {
  readonly clock: Clock;
  readonly entropy: Entropy;
  dead = false;
  /** What a fickle function goes by. */
  readonly mood: number;
  /** Called when nothing happens for long; true when it did something. */
  onIdle: () => boolean = () => false;
  readonly #dice: Dice;
  #now: number;
  #timers: Timer[] = [];
  #bag: (() => void)[] = [];
  #ids = 0;
  /** What waits for a turn of the host comes when all promises have run, however many hang on each other. */
  #turn: Promise<void> | null = null;

  constructor(dice: Dice, name: string, now: number) {
    this.#dice = dice;
    this.#now = now;
    this.mood = now % 2000 === 0 ? 0 : 1;
    this.clock = {
      now: () => this.#now,
      monotonic: () => this.#now,
      timer: (ms, callback) => this.#addTimer(ms, callback),
      defer: (happen) =>
        this.later(() => {
          this.#turn = macrotask().then(happen);
        }),
    };
    this.entropy = { random: () => dice.fraction(), runId: () => `${name}-${this.#ids++}` };
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Nothing but timers is left. */
  get quiet(): boolean {
    return this.#bag.length === 0;
  }

  /** Will happen, nobody knows when. */
  later(happen: () => void): void {
    this.#bag.push(happen);
  }

  dieSoon(): void {
    this.later(() => (this.dead = true));
  }

  #addTimer(ms: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Plays on until `done` or the stage is dead. False: nothing can happen any more, or there was no end of it. */
  async play(done: () => boolean, most: number = mostEvents): Promise<boolean> {
    for (let events = 0; events < most; events++) {
      await this.#turn;
      this.#turn = null;
      await microtasks();
      if (done() || this.dead) return true;
      if (!this.#happen(false)) {
        await macrotask();
        if (done() || this.dead) return true;
        if (!this.#happen(true)) return false;
      }
    }
    return false;
  }

  /** `idle`: nothing is on its way to the bag either. */
  #happen(idle: boolean): boolean {
    const bag = this.#bag;
    if (bag.length === 0 && !idle) return false;
    const soon = this.#timers.some(({ at }) => at - this.#now < far);
    if (bag.length === 0 && !soon && this.onIdle()) return true;
    if (this.#timers.length > 0 && (bag.length === 0 || (soon && this.#dice.chance(impatience)))) {
      this.#fire();
      return true;
    }
    if (bag.length === 0) return false;
    const at = this.#dice.below(bag.length);
    const happen = bag[at] as () => void;
    bag[at] = bag[bag.length - 1] as () => void;
    bag.pop();
    happen();
    return true;
  }

  #fire(): void {
    const first = this.#timers.reduce((a, b) => (b.at < a.at ? b : a));
    this.#timers = this.#timers.filter((timer) => timer !== first);
    this.#now = Math.max(this.#now, first.at);
    first.callback();
  }
}

const settled = Promise.resolve();

/** Long enough for what a single event sets off to reach the next wait. */
export async function microtasks(): Promise<void> {
  for (let i = 0; i < 16; i++) await settled;
}

/** Long enough for whatever waits for nothing but promises. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
