import type { NodeProgress } from "./node-progress.ts";
import { createRateMeter } from "./rate.ts";

/** With a body at work, waiting for the next attempt, waiting for an answer. */
type UnderWay = "running" | "waiting" | "asked";

/**
 * What is counted of one node.
 *
 * P1  Settled, in flight and retrying never exceed the total.
 * P2  An invocation is counted once, however often a crash or a retry started it: what is under way is kept by path.
 * P3  Memory is bounded by what is in flight, not by how much has finished.
 */
export class NodeCount {
  readonly node: string;
  /** The stream whose items the node runs for. */
  readonly per: string | undefined;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #meter = createRateMeter();
  #running = 0;
  #asked = 0;
  #expected = 0;
  #done = 0;
  #failed = 0;
  #skipped = 0;
  #absent = 0;
  #yielded = 0;
  #restored = 0;
  #restoredYields = 0;
  #firstAt: number | undefined;
  #lastAt = 0;

  constructor(node: string, per: string | undefined) {
    this.node = node;
    this.per = per;
  }

  /** Something happened at `now`, in this process and not in a replay. */
  live(now: number): void {
    this.#firstAt ??= now;
    this.#lastAt = now;
  }

  expect(): void {
    this.#expected++;
  }

  start(path: string): void {
    this.#move(path, "running");
  }

  /** It waits for an answer from outside. */
  ask(path: string): void {
    this.#move(path, "asked");
  }

  yield(replayed: boolean): void {
    this.#yielded++;
    if (replayed) this.#restoredYields++;
  }

  failAttempt(path: string, last: boolean): void {
    this.#move(path, last ? "gone" : "waiting");
    if (last) this.#failed++;
  }

  finish(path: string, replayed: boolean): void {
    this.#move(path, "gone");
    this.#done++;
    if (replayed) this.#restored++;
  }

  /** Resolved without a value and without a failure of its own. */
  settle(path: string, skipped: boolean): void {
    this.#move(path, "gone");
    if (skipped) this.#skipped++;
    else this.#absent++;
  }

  progress(now: number): NodeProgress {
    const settled = this.#done + this.#failed + this.#skipped + this.#absent;
    const underWay = this.#underWay.size;
    return {
      node: this.node,
      total: Math.max(this.#expected, settled + underWay),
      done: this.#done,
      failed: this.#failed,
      skipped: this.#skipped,
      absent: this.#absent,
      inFlight: this.#running,
      asked: this.#asked,
      retrying: underWay - this.#running - this.#asked,
      yielded: this.#yielded,
      restored: this.#restored,
      perSecond: this.#rate(now, underWay > 0),
    };
  }

  /** P2, P3. */
  #move(path: string, to: UnderWay | "gone"): void {
    const from = this.#underWay.get(path);
    if (from === "running") this.#running--;
    if (from === "asked") this.#asked--;
    if (to === "running") this.#running++;
    if (to === "asked") this.#asked++;
    if (to === "gone") this.#underWay.delete(path);
    else this.#underWay.set(path, to);
  }

  /** At rest the average over the time it was active tells more than a window in which nothing happened. */
  #rate(now: number, active: boolean): number {
    const events =
      this.#yielded > 0 ? this.#yielded - this.#restoredYields : this.#done + this.#failed - this.#restored;
    this.#meter.sample(now, events);
    if (active) return this.#meter.perSecond();
    const span = this.#lastAt - (this.#firstAt ?? this.#lastAt);
    return span < 250 ? 0 : (events * 1_000) / span;
  }
}
