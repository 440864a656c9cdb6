/**
 * Outputs that are given out again. It stands before admission: who takes a kept output, or waits for somebody else's,
 * holds no permit and starts no clock.
 *
 * H1  Of one key at most one invocation of the engine is between its look-up and its answer: the leader of its flight.
 * H2  A flight is over when its leader answered, failed, was swept, or its run ended or drains. Then the followers get the
 *     output, or begin anew: the first of them leads.
 * H3  Only outputs are kept, never failures; a store that does not work is a miss and a warning.
 * H4  Whoever waits in a flight is not started: it has `Todo.start`, and a run that drains or ends forgets it.
 */
import { asPromise } from "../../base/thenable.ts";
import type { CachePolicy, CallPolicies } from "../../model/policies.ts";
import type { CacheEntry, CacheStore } from "../../ports/cache-store.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ValueCodec } from "../../ports/value-codec.ts";
import { isCurrent, Todo, type Pending } from "../../state/pending.ts";
import { begin } from "../perform.ts";
import { deliverCached } from "../bodies.ts";
import { reportFailure } from "../failure.ts";
import { mustWaitForLease } from "../lease.ts";
import type { Runner } from "../runner.ts";
import { Flight } from "./flight.ts";
import type { CacheKeys } from "./key.ts";

export interface CacheParts {
  readonly store: CacheStore;
  readonly keys: CacheKeys;
  readonly codec: ValueCodec;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

export class Cache {
  readonly #parts: CacheParts;
  readonly #flights: Map<string, Flight> = new Map();
  readonly #led: Map<Pending, Flight> = new Map();
  #warned = false;

  constructor(parts: CacheParts) {
    this.#parts = parts;
  }

  /** Instead of `admit`. */
  begin(runner: Runner, pending: Pending): void {
    pending.todo = Todo.start;
    let key: string;
    try {
      key = this.#parts.keys.of(runner.state, pending);
    } catch (error) {
      reportFailure(runner, pending, error);
      return;
    }
    const flight = this.#flights.get(key);
    if (flight === undefined) this.#lead(new Flight(key, runner, pending));
    else if (flight.leader !== pending) flight.followers.set(pending, runner);
  }

  #lead(flight: Flight): void {
    this.#flights.set(flight.key, flight);
    this.#led.set(flight.leader, flight);
    const found = this.#tryStore(() => this.#parts.store.get(flight.key));
    const later = asPromise(found);
    if (later === null) {
      this.#found(flight, found as CacheEntry | undefined);
      return;
    }
    const arrived = (entry: unknown): void => {
      // H2: it may have been let go while the store was asked.
      if (this.#led.get(flight.leader) !== flight) return;
      this.#found(flight, entry as CacheEntry | undefined);
      flight.runner.pump();
    };
    later.then(arrived, (error: unknown) => {
      this.#warn(error);
      arrived(undefined);
    });
  }

  #found(flight: Flight, entry: CacheEntry | undefined): void {
    const { runner, leader } = flight;
    if (entry !== undefined && entry.expires > this.#parts.clock.now() && this.#give(runner, leader, entry.value))
      this.#end(flight, entry.value);
    // The store took its time: whoever comes first when the lease is renewed asks it again.
    else if (mustWaitForLease(runner, leader)) this.#end(flight, null);
    else {
      leader.todo = Todo.none;
      begin(runner, leader);
    }
  }

  /** False when what is kept cannot be read. */
  #give(runner: Runner, pending: Pending, text: string): boolean {
    let output: unknown;
    try {
      output = this.#parts.codec.decode(text);
    } catch (error) {
      this.#warn(error);
      return false;
    }
    pending.todo = Todo.none;
    deliverCached(runner, pending, output);
    return true;
  }

  /** The body of a leader answered: its output is kept. False when it cannot be, which is the op's failure. */
  keep(runner: Runner, pending: Pending, output: unknown): boolean {
    const { codec, store, clock, keys } = this.#parts;
    let value: string;
    try {
      value = codec.encode(output, "output");
    } catch (error) {
      reportFailure(runner, pending, error);
      return false;
    }
    const flight = this.#led.get(pending);
    if (flight === undefined) return true;
    const { ttl, max } = (pending.slot.policies as CallPolicies).cache as CachePolicy;
    const group = keys.group(runner.state.program.plan, pending.slot);
    const written = this.#tryStore(() => store.set(flight.key, { value, expires: clock.now() + ttl }, { group, max }));
    asPromise(written)?.catch((error: unknown) => this.#warn(error));
    this.#end(flight, value);
    return true;
  }

  /** H2: the attempt failed, or nobody wants its output any more. */
  letGo(pending: Pending): void {
    const flight = this.#led.get(pending);
    if (flight !== undefined) this.#end(flight, null);
  }

  /** H2: the run ended; or it drains, and only what has not started is let go. */
  letGoOf(runner: Runner, which: "all" | "unstarted"): void {
    for (const [pending, flight] of this.#led)
      if (flight.runner === runner && (which === "all" || pending.todo === Todo.start)) this.#end(flight, null);
  }

  /** The followers go on in a turn of their own: they may be of other runs, and thousands. */
  #end(flight: Flight, output: string | null): void {
    this.#led.delete(flight.leader);
    this.#flights.delete(flight.key);
    if (flight.followers.size > 0) this.#parts.clock.defer(() => this.#goOn(flight.followers, output));
  }

  #goOn(followers: Iterable<readonly [Pending, Runner]>, output: string | null): void {
    for (const [pending, runner] of followers) {
      // H4
      if (!runner.startsNew || !isCurrent(pending) || pending.todo !== Todo.start) continue;
      if (output === null || !this.#give(runner, pending, output)) this.begin(runner, pending);
      runner.pump();
    }
  }

  #tryStore(act: () => unknown): unknown {
    try {
      return act();
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  /** Once: a store that is down would say the same for every call. */
  #warn(error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const text = error instanceof Error ? error.message : String(error);
    this.#parts.warn(`millrace: the cache store failed, and ops run as if nothing were kept: ${text}`);
  }
}
