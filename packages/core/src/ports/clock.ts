/** Time as the runtime sees it. The system's is in `system.ts`; tests and the simulator bring their own. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Monotonic milliseconds, for measuring slices. */
  monotonic(): number;
  /** Calls back once, not before `ms` milliseconds; `ms` may exceed 2^31. Returns a canceller. */
  timer(ms: number, callback: () => void): () => void;
  /**
   * As `timer`, but a process that has nothing else to do may end before it. Absent: what would happen in the background,
   * happens on request only.
   */
  background?(ms: number, callback: () => void): () => void;
  /** Calls back after the host had a chance to do other work (a macrotask, not a microtask). */
  defer(callback: () => void): void;
}
