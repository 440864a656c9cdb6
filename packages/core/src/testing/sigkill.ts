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
  readonly stdout: string;
  readonly stderr: string;
}

export interface KillOptions {
  /** A file that this Node can run. */
  readonly program: string | URL;
  readonly args: (life: number) => readonly string[];
  /** At most so many; fewer if the program ends before. */
  readonly kills: number;
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
  const dice = new Dice(options.seed);
  const lives: KilledLife[] = [];
  while (lives.at(-1)?.killed !== false) {
    const number = lives.length + 1;
    const victim = new Victim(options, number);
    const life = await victim.live(number <= options.kills ? drawn(options.points, dice) : null, dice.fraction());
    lives.push(life);
    await options.died?.(life);
  }
  return lives;
}

function drawn(points: readonly KillPoint[], dice: Dice): KillPoint {
  const weight = (point: KillPoint): number => point.weight ?? 1;
  let left = dice.fraction() * points.reduce((sum, point) => sum + weight(point), 0);
  const chosen = points.find((point) => (left -= weight(point)) < 0) ?? points.at(-1);
  if (chosen === undefined) throw new Error("killAtRandom needs at least one point");
  return chosen;
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
    const { exitCode, signalCode } = this.#process;
    const killed = point !== null && signalCode === "SIGKILL";
    if (!killed && exitCode !== 0) throw this.#failure(`ended with ${exitCode ?? signalCode}`);
    return { number: this.#number, killed, stdout: this.#stdout, stderr: this.#stderr };
  }

  async #killAt({ after, within }: KillPoint, moment: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#heard = () => {
        if (this.#gone || this.#stdout.includes(after)) resolve();
      };
      this.#heard();
    });
    await Promise.race([this.#closed, new Promise((resolve) => setTimeout(resolve, moment * within))]);
    this.#kill();
  }

  #kill(): void {
    if (!this.#gone) this.#process.kill("SIGKILL");
  }

  #failure(what: string): Error {
    return new Error(`life ${this.#number} of the program ${what}; it said:\n${this.#stdout}\n${this.#stderr}`);
  }
}
