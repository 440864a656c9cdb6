/** Log lines as the engine and op bodies write them. They are no data of a run: never journaled, never on stdout. */

/** From the least to the most urgent. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly data?: unknown;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
  /** Of the op body that wrote it; absent for the engine's own lines. */
  readonly runId?: string;
  readonly path?: string;
  readonly attempt?: number;
}

/** Where lines go that are urgent enough. Called synchronously; what it throws is dropped. */
export type LogSink = (entry: LogEntry) => void;
