import type { Duration } from "../base/duration.ts";

/** As authors write it. Absent means one attempt. */
export interface RetryOptions {
  /** Tries in all, the first included. Default 3. */
  readonly attempts?: number;
  /** Wait before the second try. Default 500 ms. */
  readonly initial?: Duration;
  /** Growth of the wait from try to try. Default 2. */
  readonly factor?: number;
  /** Longest wait. Default 30 s. */
  readonly max?: Duration;
  /** `equal` (default): half fixed, half random. `none`: exact, for tests. */
  readonly jitter?: "equal" | "full" | "none";
  /** Which errors are worth another try. Default: time-outs, connection errors, HTTP 429 and 5xx. */
  readonly on?: (error: unknown) => boolean;
}

export interface TimeoutOptions {
  /** Longest time of one attempt, from its start to its end. */
  readonly run?: Duration;
  /** Longest silence of one attempt: reset by every yield of a generator. */
  readonly idle?: Duration;
  /**
   * Longest time of all attempts of one call together, with the waits between them and for resources: a moment that is set
   * when the call is first taken up and is the same after a crash. Not tried again when it comes. Of a call of a graph: of
   * everything in it, from when its input is there; what is not through by then is ended.
   */
  readonly total?: Duration;
}

export interface CacheOptions {
  /** How long an output may be given out again, from when it was made. */
  readonly ttl: Duration;
  /** Outputs kept per node; the one that was used least recently makes room. Default 1,000. */
  readonly max?: number;
  /** What of the input the output depends on, as any data: `(input: { url: string }) => input.url`. Default: all of it. */
  readonly key?: (input: never) => unknown;
}

/** Policies as written on an op or a call; a call's are merged over the op's field by field. */
export interface OpPolicies {
  readonly retry?: RetryOptions | false;
  readonly timeout?: TimeoutOptions;
  readonly onFailure?: "record" | "raise";
  /** Calls with equal inputs share one output for a while. An op of its own must say `ttl`; a call may change a part. */
  readonly cache?: Partial<CacheOptions> | false;
}

/** What the runtime reads: merged, validated, in milliseconds. */
export interface CallPolicies {
  readonly retry: RetryPolicy | null;
  /** Milliseconds, or 0 for none. */
  readonly runTimeout: number;
  readonly idleTimeout: number;
  readonly totalTimeout: number;
  /** Null: as the run says. */
  readonly onFailure: "record" | "raise" | null;
  readonly cache: CachePolicy | null;
}

export interface CachePolicy {
  /** Milliseconds. */
  readonly ttl: number;
  readonly max: number;
  readonly key: ((input: never) => unknown) | null;
}

export interface RetryPolicy {
  readonly attempts: number;
  readonly initial: number;
  readonly factor: number;
  readonly max: number;
  readonly jitter: "equal" | "full" | "none";
  readonly on: ((error: unknown) => boolean) | null;
}
