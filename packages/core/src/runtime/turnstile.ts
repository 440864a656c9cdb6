/**
 * Who may use limited resources, and who is next.
 *
 * L1  A claim is granted all its resources at once or none: what waits holds nothing, so two resources cannot deadlock.
 * L2  A waiting claim stands in the queue of each of its resources from the same moment, and is granted when it is first in
 *     all of them and all have room: the oldest is first everywhere, so nobody waits for ever.
 * L3  Time is the clock port's: what waits for a rate is woken by one timer per resource, and by none when nobody waits.
 */
import { Fifo } from "../state/fifo.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";
import type { Clock } from "../ports/clock.ts";
import type { Limiter } from "./limiter.ts";

/** A limited resource and those that wait for it. */
export class Gate {
  readonly limiter: Limiter;
  readonly queue: Fifo<Claim> = new Fifo();
  timer: Deadline | null = null;

  constructor(limiter: Limiter) {
    this.limiter = limiter;
  }

  /** The first that still waits. */
  first(): Claim | undefined {
    let claim = this.queue.peek();
    for (; claim !== undefined && claim.state !== "waiting"; claim = this.queue.peek()) this.queue.take();
    return claim;
  }
}

export class Claim {
  readonly gates: readonly Gate[];
  /** It is a start, which rates count; else a body that goes on. */
  readonly starts: boolean;
  readonly granted: () => void;
  state: "waiting" | "granted" | "begun" | "over" = "waiting";

  constructor(gates: readonly Gate[], starts: boolean, granted: () => void) {
    this.gates = gates;
    this.starts = starts;
    this.granted = granted;
  }

  get waitMs(): number {
    return Math.max(...this.gates.map(({ limiter }) => limiter.waitMs(this.starts)));
  }
}

export class Turnstile {
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  #closed = false;

  constructor(clock: Clock, deadlines: Deadlines) {
    this.#clock = clock;
    this.#deadlines = deadlines;
  }

  /** True: granted at once, and `granted` is not called. */
  request(claim: Claim): boolean {
    const { gates } = claim;
    const first = gates.every((gate) => gate.first() === undefined);
    const wait = first ? claim.waitMs : Infinity;
    if (wait === 0) {
      grant(claim);
      return true;
    }
    for (const gate of gates) gate.queue.push(claim);
    if (wait < Infinity) this.#arm(gates[0] as Gate, wait);
    return false;
  }

  begin(claim: Claim): void {
    if (claim.state !== "granted") return;
    claim.state = "begun";
    if (!claim.starts) return;
    for (const { limiter } of claim.gates) limiter.begin();
    // Nobody can go for that, but it is known now when the next one can.
    this.#advance(claim.gates);
  }

  /** Nothing is granted any more: the engine closes. */
  close(): void {
    this.#closed = true;
  }

  /** Its user is done with it, or does not want it any more. */
  release(claim: Claim): void {
    const { state } = claim;
    if (state === "over") return;
    claim.state = "over";
    if (state !== "waiting") for (const { limiter } of claim.gates) limiter.release(claim.starts, state === "begun");
    this.#advance(claim.gates);
  }

  /** Grants to whoever can go now; callbacks come last, when everything is as it should be. */
  #advance(gates: readonly Gate[]): void {
    if (this.#closed) return;
    const granted: Claim[] = [];
    const changed = [...gates];
    for (let gate = changed.pop(); gate !== undefined; gate = changed.pop()) {
      const claim = this.#next(gate);
      if (claim === undefined) continue;
      grant(claim);
      granted.push(claim);
      changed.push(...claim.gates);
    }
    for (const claim of granted) claim.granted();
  }

  /** L2. The first of a queue, if it may go now; else it is known what will wake it. */
  #next(gate: Gate): Claim | undefined {
    const claim = gate.first();
    this.#disarm(gate);
    if (claim === undefined || claim.gates.some((other) => other.first() !== claim)) return undefined;
    const wait = claim.waitMs;
    if (wait === 0) return claim;
    // Infinity: somebody's release.
    if (wait < Infinity) this.#arm(gate, wait);
    return undefined;
  }

  #arm(gate: Gate, wait: number): void {
    this.#disarm(gate);
    gate.timer = this.#deadlines.add(this.#clock.now() + Math.ceil(wait), () => {
      gate.timer = null;
      this.#advance([gate]);
    });
  }

  #disarm(gate: Gate): void {
    if (gate.timer !== null) this.#deadlines.cancel(gate.timer);
    gate.timer = null;
  }
}

/** L1 */
function grant(claim: Claim): void {
  claim.state = "granted";
  for (const { limiter, queue } of claim.gates) {
    limiter.grant(claim.starts);
    if (queue.peek() === claim) queue.take();
  }
}
