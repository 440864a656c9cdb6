/**
 * A world in which several processes work on one store: one time line, and one bag of everything that can happen (a
 * commit, a reply, a wait of a body), from which the dice pick the next. The same seed plays the same world.
 *
 * D1  Nothing here asks the host for time, chance or ids; what a seed does once it does always.
 * D2  Of a dead process nothing happens any more; what happens to a stalled one happens when it wakes.
 */
import type { Dice } from "../dice.ts";
import { macrotask, microtasks } from "../simulate/stage.ts";

/** Whose something is: a process, or, as null, the world's own. */
export interface Actor {
  readonly state: "up" | "stalled" | "dead";
  /** Keeps what happens to a stalled one. */
  hold(happen: () => void): void;
}

interface Timer {
  readonly actor: Actor | null;
  readonly at: number;
  /** Looks around from time to time: nobody waits for it. */
  readonly background: boolean;
  readonly callback: () => void;
}

interface Happening {
  readonly actor: Actor | null;
  readonly happen: () => void;
}

/** How often the next timer comes while something else could happen. */
const impatience = 0.06;
/** Turns in which only time passed, after which it passes in leaps, and after which nothing is expected any more. */
const patience = 25;
const despair = 140;

export class World {
  readonly dice: Dice;
  /** Milliseconds since 1970. */
  now: number;
  readonly began: number;
  /** What happened, line by line. */
  readonly log: string[] = [];
  /** Called when only time could pass; true when it did something. */
  onIdle: () => boolean = () => false;
  /** Called before every event. */
  onEvent: () => void = () => undefined;
  /** The next moment at which something is due that no process keeps a timer for. */
  wakes: () => number | null = () => null;
  #timers: Timer[] = [];
  #bag: Happening[] = [];
  #turn: Promise<void> | null = null;
  #idleTurns = 0;
  events = 0;
  /** To whom something happened last. */
  acting: Actor | null = null;

  constructor(dice: Dice, now: number) {
    this.dice = dice;
    this.now = now;
    this.began = now;
  }

  say(text: string): void {
    this.log.push(`${((this.now - this.began) / 1000).toFixed(3)} s  ${text}`);
  }

  /** Something came of it: whoever waits may wait longer. */
  progress(): void {
    this.#idleTurns = 0;
  }

  /** Will happen, nobody knows when. */
  later(actor: Actor | null, happen: () => void): void {
    this.#bag.push({ actor, happen });
  }

  /** What waits for a turn of the host comes when all promises have run, however many hang on each other. */
  turn(actor: Actor, happen: () => void): void {
    this.#turn = macrotask().then(() => this.#do(actor, happen));
  }

  timer(actor: Actor | null, ms: number, callback: () => void, background = false): () => void {
    let stands = true;
    // One that came due while its process stood still can be cleared by what comes before it.
    const due = (): void => {
      if (stands) callback();
    };
    const timer: Timer = { actor, at: this.now + Math.max(0, ms), callback: due, background };
    this.#timers.push(timer);
    return () => {
      stands = false;
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Timers and other things to come that are this actor's. */
  pendingOf(actor: Actor): number {
    const isIts = (thing: { readonly actor: Actor | null }): boolean => thing.actor === actor;
    return this.#timers.filter(isIts).length + this.#bag.filter(isIts).length;
  }

  /** Nothing is left but timers. */
  get quiet(): boolean {
    return this.#bag.length === 0;
  }

  /** Plays on until `done`. False: nothing can happen any more, or only time has passed for very long. */
  async play(done: () => boolean, mostEvents: number = Infinity): Promise<boolean> {
    const last = this.events + mostEvents;
    while (this.events < last) {
      await this.#turn;
      this.#turn = null;
      await microtasks();
      if (done()) return true;
      if (this.#happen(false)) continue;
      // What waits for nothing but promises of the host's gets its turn.
      await macrotask();
      if (done()) return true;
      if (!this.#happen(true)) return false;
    }
    return false;
  }

  #happen(idle: boolean): boolean {
    this.#drop();
    const waits = this.#bag.length === 0;
    if (waits && !idle) return false;
    this.events++;
    this.onEvent();
    if (waits && this.#idleTurns > 1 && this.onIdle()) return true;
    if (this.#bag.length === 0) return this.#pass();
    if (this.#timers.length > 0 && this.dice.chance(impatience)) this.#fire();
    else this.#draw();
    return true;
  }

  /** D2 */
  #drop(): void {
    if (this.#bag.some(({ actor }) => actor?.state === "dead"))
      this.#bag = this.#bag.filter(({ actor }) => actor?.state !== "dead");
  }

  #draw(): void {
    const bag = this.#bag;
    const at = this.dice.below(bag.length);
    const { actor, happen } = bag[at] as Happening;
    bag[at] = bag[bag.length - 1] as Happening;
    bag.pop();
    this.#do(actor, happen);
  }

  /** D2 */
  #do(actor: Actor | null, happen: () => void): void {
    this.acting = actor;
    if (actor === null || actor.state === "up") happen();
    else if (actor.state === "stalled") actor.hold(happen);
  }

  /** Only time passes: to the next timer, and in leaps when that was in vain again and again. */
  #pass(): boolean {
    if (!this.#timers.some(({ at }) => at <= this.now)) {
      if (this.#idleTurns++ > despair) return false;
      if (this.#idleTurns > patience) this.#leap();
    }
    if (this.#timers.length === 0) return false;
    this.#fire();
    return true;
  }

  /** To what is due next, and at least so far: who only looks around every quarter of a second holds no time up. */
  #leap(): void {
    const leap = 1000 * 2 ** ((this.#idleTurns - patience) / 6);
    this.now = Math.max(this.now + leap, this.#nextDue() ?? 0);
  }

  #nextDue(): number | null {
    const due = this.#timers
      .filter(({ background, actor }) => !background && actor?.state !== "dead")
      .map(({ at }) => at);
    const wake = this.wakes();
    if (wake !== null) due.push(wake);
    const ahead = due.filter((at) => at > this.now);
    return ahead.length === 0 ? null : Math.min(...ahead);
  }

  #fire(): void {
    const first = this.#timers.reduce((a, b) => (b.at < a.at ? b : a));
    this.#timers = this.#timers.filter((timer) => timer !== first);
    this.now = Math.max(this.now, first.at);
    this.#do(first.actor, first.callback);
  }
}
