import { MillraceError } from "../../base/error.ts";
import type { Plan } from "../../model/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TraceRecord, TraceSink } from "../../ports/trace.ts";
import type { TraceOptions } from "../api.ts";
import { Fields } from "./fields.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { Tracer } from "./tracer.ts";
import { UnmatchedPatterns } from "./unmatched.ts";

/** The sinks of an engine and what feeds them. */
export interface Traces {
  readonly tracer: Tracer;
  /** Runs of these graphs will be traced. */
  sees(plans: readonly Plan[]): void;
  close(): Promise<void>;
}

const defaultLimits = { value: 4_096, records: 100_000 };

/** @throws MillraceError `InvalidOption` */
export function openTraces(
  options: TraceOptions,
  clock: Clock,
  warn: (text: string) => void,
  redactor: Redactor,
): Traces {
  checkLimits(options);
  const sinks = options.sinks.map((sink) => new FencedSink(sink, warn));
  const write = (record: TraceRecord): void => {
    for (const sink of sinks) sink.write(record);
  };
  const fields = new Fields(options.include, options.exclude);
  const unmatched = new UnmatchedPatterns(options, warn);
  return {
    sees: (plans) => unmatched.sees(plans),
    tracer: new Tracer(write, clock, fields, redactor, { ...defaultLimits, ...options.limits }),
    close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
  };
}

function checkLimits({ sinks, limits = {} }: TraceOptions): void {
  if (!Array.isArray(sinks) || sinks.some((sink: Partial<TraceSink> | null) => typeof sink?.write !== "function"))
    throw wrong("traces.sinks must be a list of objects with a write method");
  for (const [name, limit] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, name))
      throw wrong(`there is no limit "${name}" of traces, only value and records`);
    if (!(Number.isInteger(limit) && limit >= 1))
      throw wrong(`traces.limits.${name} must be a whole number of at least 1, not ${String(limit)}`);
  }
}

/** A trace never breaks a run: a sink that fails is reported once and left alone. */
class FencedSink {
  readonly #sink: TraceSink;
  readonly #warn: (text: string) => void;
  #failed = false;

  constructor(sink: TraceSink, warn: (text: string) => void) {
    this.#sink = sink;
    this.#warn = warn;
  }

  write(record: TraceRecord): void {
    if (this.#failed) return;
    try {
      this.#sink.write(record);
    } catch (error) {
      this.#fail(error);
    }
  }

  async close(): Promise<void> {
    try {
      await this.#sink.close?.();
    } catch (error) {
      if (!this.#failed) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failed = true;
    this.#warn(`millrace: traces are not written any more: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function wrong(message: string): MillraceError {
  return new MillraceError("InvalidOption", message);
}
