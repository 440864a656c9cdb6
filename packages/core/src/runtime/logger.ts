import type { Log } from "../model/log.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Clock } from "../ports/clock.ts";
import { logLevels, type LogEntry, type LogLevel, type LogSink } from "../ports/log.ts";

/** Where a line comes from. */
export type Origin = Pick<LogEntry, "runId" | "path" | "attempt">;

/** The lines of an engine: those that are urgent enough go to the sink, which cannot harm a run. */
export class Logger {
  readonly #sink: LogSink;
  readonly #clock: Clock;
  readonly #least: number;
  readonly #redactor: Redactor;

  /** `off`: nothing is written. */
  constructor(sink: LogSink, level: LogLevel | "off", clock: Clock, redactor: Redactor) {
    this.#sink = sink;
    this.#clock = clock;
    this.#redactor = redactor;
    this.#least = level === "off" ? logLevels.length : logLevels.indexOf(level);
  }

  /** `origin` is asked only for lines that are written. */
  write(level: LogLevel, message: string, data?: unknown, origin?: () => Origin): void {
    if (logLevels.indexOf(level) < this.#least) return;
    try {
      const at = this.#clock.now();
      const shown = data === undefined ? {} : { data: this.#redactor.value(data) };
      this.#sink({ level, message: String(this.#redactor.value(message)), ...shown, at, ...origin?.() });
    } catch {
      // A log that cannot be written must not fail what it tells of.
    }
  }

  of(origin: () => Origin): Log {
    return {
      debug: (message, data) => this.write("debug", message, data, origin),
      info: (message, data) => this.write("info", message, data, origin),
      warn: (message, data) => this.write("warn", message, data, origin),
      error: (message, data) => this.write("error", message, data, origin),
    };
  }
}
