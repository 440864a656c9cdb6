import type { AsyncStorage } from "../ports/async-storage.ts";
import type { Clock } from "../ports/clock.ts";
import type { Entropy } from "../ports/entropy.ts";
import type { Executor } from "../ports/executor.ts";
import type { TaskExecutor } from "../ports/task-executor.ts";
import type { Observer } from "../ports/observer.ts";
import type { ValueCodec } from "../ports/value-codec.ts";
import type { Store } from "../model/store.ts";
import type { Cache } from "./cache/cache.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Logger } from "./logger.ts";
import type { Permits } from "./permits.ts";
import type { Resources } from "./resources.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Secrets } from "./secrets.ts";
import type { Slices } from "./slices.ts";
import type { Turnstile } from "./turnstile.ts";

/** What all runs of an engine share. */
export interface Host {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly deadlines: Deadlines;
  readonly slices: Slices;
  /** Null: no cap over all runs. */
  readonly permits: Permits | null;
  readonly resources: Resources;
  readonly turnstile: Turnstile;
  /** What `ctx.secret` asks. */
  readonly secrets: Secrets;
  /** What `ctx.store` is. */
  readonly store: Store;
  /** What leaves runs for people goes through it. */
  readonly redactor: Redactor;
  readonly codec: ValueCodec;
  /** Null: the engine cannot run ops with `bound: "cpu"`. */
  readonly executor: Executor | null;
  /** Where tasks of state graphs run; null: where their run is. */
  readonly tasks: TaskExecutor | null;
  /** Outputs of ops with `cache`. */
  readonly cache: Cache;
  readonly observer: Observer | null;
  readonly log: Logger;
  /** The engine's own warnings. */
  readonly warn: (text: string) => void;
  /** What `currentRun` reads; null: bodies are not followed. */
  readonly around: AsyncStorage | null;
  /** Milliseconds after which a body that works is told of in the log; 0: never. */
  readonly slowOp: number;
  readonly counts: HostCounts;
}

export interface HostCounts {
  /** Results that came after their attempt had timed out, or its run had ended. */
  late: number;
  /** Bodies that ignored their abort signal for longer than the grace period. */
  stuck: number;
}
