/**
 * The real crash: a program is ended by SIGKILL at random times, started again each time, and left alone once it has
 * been killed often enough. What may have become of its data is the caller's to check.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Dice } from "./dice.ts";

/** Where a kill may fall: at a random time within so many milliseconds after the program has said `after`. */
export interface KillPoint {
  readonly after: string;
  readonly within: number;
  /** How often it is chosen, compared with the other points. Default 1. */
  readonly weight?: number;
}

/** One process of the program. */
export interface KilledLife {
  /** From 1. */
  readonly number: number;
  /** False: it came to its own end, with exit code 0. */
  readonly killed: boolean;
  /** It stood still for a while before. */
  readonly stopped: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KillOptions {
  /** A file that this Node can run. */
  readonly program: string | URL;
  readonly args: (life: number) => readonly string[];
  /** At most so many; fewer if the program ends before. */
  readonly kills: number;
  /**
   * This part of them, from 0 to 1, is SIGSTOP: the process goes on when the next one has said `after` of its point, and is
   * killed a while later if it has not ended by itself. Default 0.
   */
  readonly stops?: number;
  /** Of the points and the times. */
  readonly seed: number;
  readonly points: readonly KillPoint[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds that one process may take. Default 60,000. */
  readonly lifeTimeout?: number;
  /** Called when a process is gone and all it said has arrived, before the next one starts. */
  readonly died?: (life: KilledLife) => void | Promise<void>;
}

/**
 * Resolves to the lives of the program, the last of which ended by itself.
 *
 * @throws Error when the program ends with another exit code than 0, or takes longer than it may.
 */
export async function killAtRandom(options: KillOptions): Promise<readonly KilledLife[]> {
  const { kills, points } = options;
  const dice = new Dice(options.seed);
  const lives: KilledLife[] = [];
  const waking: Promise<void>[] = [];
  let stopped: Victim | null = null;
  while (lives.at(-1)?.killed !== false) {
    const number = lives.length + 1;
    const point = number <= kills ? drawn(points, dice) : null;
    const victim = new Victim(options, number);
    if (stopped !== null) waking.push(stopped.wakeBeside(victim, points[0]?.after ?? ""));
    const life = await endOf(victim, point, dice, options.stops ?? 0);
    stopped = life.stopped ? victim : null;
    lives.push(life);
    await options.died?.(life);
  }
  await Promise.all(waking);
  return lives;
}

function endOf(victim: Victim, point: KillPoint | null, dice: Dice, stops: number): Promise<KilledLife> {
  const moment = dice.fraction();
  if (point === null || stops === 0 || !dice.chance(stops)) return victim.live(point, moment);
  return victim.stop(point, moment);
}

function drawn(points: readonly KillPoint[], dice: Dice): KillPoint {
  const weight = (point: KillPoint): number => point.weight ?? 1;
  let left = dice.fraction() * points.reduce((sum, point) => sum + weight(point), 0);
  const chosen = points.find((point) => (left -= weight(point)) < 0) ?? points.at(-1);
  if (chosen === undefined) throw new Error("killAtRandom needs at least one point");
  return chosen;
}

/** How long one that stood still may go on. */
const awakeMs = 1_500;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

class Victim {
  readonly #number: number;
  readonly #process: ChildProcess;
  readonly #timeout: number;
  readonly #closed: Promise<unknown>;
  #stdout = "";
  #stderr = "";
  #gone = false;
  #heard: (() => void) | null = null;

  constructor({ program, args, env, lifeTimeout = 60_000 }: KillOptions, number: number) {
    const file = typeof program === "string" ? program : fileURLToPath(program);
    this.#number = number;
    this.#timeout = lifeTimeout;
    this.#process = spawn(process.execPath, [file, ...args(number)], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    this.#closed = once(this.#process, "close").finally(() => {
      this.#gone = true;
      this.#heard?.();
    });
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
      this.#heard?.();
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
  }

  /** `point` null: to its own end. */
  async live(point: KillPoint | null, moment: number): Promise<KilledLife> {
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      this.#kill();
    }, this.#timeout);
    try {
      if (point !== null) await this.#killAt(point, moment);
      await this.#closed;
    } finally {
      clearTimeout(limit);
      this.#kill();
    }
    if (late) throw this.#failure(`took longer than ${this.#timeout} ms`);
    return this.#told(point !== null && this.#process.signalCode === "SIGKILL", false);
  }

  #told(killed: boolean, stopped: boolean): KilledLife {
    const { exitCode, signalCode } = this.#process;
    if (!killed && exitCode !== 0) throw this.#failure(`ended with ${exitCode ?? signalCode}`);
    return { number: this.#number, killed, stopped, stdout: this.#stdout, stderr: this.#stderr };
  }

  async #killAt(point: KillPoint, moment: number): Promise<void> {
    await this.#reach(point, moment);
    this.#kill();
  }

  async #reach({ after, within }: KillPoint, moment: number): Promise<void> {
    await this.#said(after);
    await Promise.race([this.#closed, pause(moment * within)]);
  }

  /** It has said so, or is gone. */
  #said(text: string): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#heard;
      this.#heard = () => {
        before?.();
        if (this.#gone || this.#stdout.includes(text)) resolve();
      };
      this.#heard();
    });
  }

  /** It stands still from that moment on; if it had ended by then, that is how it ended. */
  async stop(point: KillPoint, moment: number): Promise<KilledLife> {
    await this.#reach(point, moment);
    if (!this.#gone) this.#process.kill("SIGSTOP");
    return this.#gone ? this.#told(false, false) : this.#told(true, true);
  }

  /** Goes on when the other one is at work, and is killed a while later. */
  async wakeBeside(other: Victim, after: string): Promise<void> {
    try {
      await Promise.race([other.#said(after), pause(this.#timeout)]);
      if (!this.#gone) this.#process.kill("SIGCONT");
      await Promise.race([this.#closed, pause(awakeMs)]);
    } finally {
      this.#kill();
      await this.#closed;
    }
  }

  #kill(): void {
    if (!this.#gone) this.#process.kill("SIGKILL");
  }

  #failure(what: string): Error {
    return new Error(`life ${this.#number} of the program ${what}; it said:\n${this.#stdout}\n${this.#stderr}`);
  }
}
