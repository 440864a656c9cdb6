import type { Deadline } from "./deadlines.ts";
import { graceMs } from "./orphans.ts";
import type { Runner } from "./runner.ts";

/**
 * Bodies that go on after their run ended keep what all runs share, permits of the engine and limited resources, for the
 * grace only: other runs wait for it.
 */
export class Grace {
  readonly #runner: Runner;
  readonly #deadline: Deadline | null;
  /** Nothing is held any more, whatever the bodies do. */
  over = false;

  constructor(runner: Runner) {
    this.#runner = runner;
    const { deadlines, clock, permits } = runner.host;
    const shares = permits !== null || runner.claims !== null;
    this.#deadline =
      shares && !this.#unneeded ? deadlines.add(clock.now() + graceMs, (): void => this.#giveUp()) : null;
  }

  get #unneeded(): boolean {
    const { active, claims } = this.#runner;
    return active === 0 && (claims === null || claims.none);
  }

  /** Something came back. */
  endIfUnneeded(): void {
    if (this.#deadline !== null && this.#unneeded) this.#runner.host.deadlines.cancel(this.#deadline);
  }

  #giveUp(): void {
    const runner = this.#runner;
    runner.host.counts.stuck += runner.active;
    while (runner.active > 0) runner.returnPermit();
    if (runner.claims !== null) runner.claims.releaseAll();
    this.over = true;
  }
}
