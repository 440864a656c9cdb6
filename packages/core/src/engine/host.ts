/** What all runs of an engine share, from its options. */
import { parseDuration } from "../base/duration.ts";
import { MillraceError } from "../base/error.ts";
import { logLevels, type LogLevel } from "../ports/log.ts";
import { environment, systemClock, systemEntropy, systemLog } from "../ports/system.ts";
import { memoryCache } from "../backends/memory-cache.ts";
import { decode } from "../journal/codec/codec.ts";
import { canonicalAs, encodeAs } from "../journal/encode-as.ts";
import type { AsyncStorage } from "../ports/async-storage.ts";
import type { Clock } from "../ports/clock.ts";
import type { ValueCodec } from "../ports/value-codec.ts";
import { Cache } from "../runtime/cache/cache.ts";
import { CacheKeys } from "../runtime/cache/key.ts";
import { sharedStorage } from "../runtime/current-run.ts";
import { Deadlines } from "../runtime/deadlines.ts";
import type { Host } from "../runtime/host.ts";
import { Logger } from "../runtime/logger.ts";
import { together } from "../runtime/observers.ts";
import { Permits } from "../runtime/permits.ts";
import { Resources } from "../runtime/resources.ts";
import { safeObserver } from "../runtime/safe-observer.ts";
import { Redactor } from "../secrets/redactor.ts";
import { Secrets } from "../runtime/secrets.ts";
import { Slices } from "../runtime/slices.ts";
import { Turnstile } from "../runtime/turnstile.ts";
import type { EngineOptions } from "./api.ts";
import { sourcesOf } from "./provide.ts";
import { storeOf } from "./store-option.ts";
import { openTraces, type Traces } from "./trace/open-traces.ts";

const levelVariable = "MILLRACE_LOG";

export interface EngineHost extends Host {
  readonly traces: Traces | null;
}

export function hostOf(options: EngineOptions): EngineHost {
  const clock = options.clock ?? systemClock;
  const redactor = new Redactor(options.redact);
  const log = loggerOf(options, clock, redactor);
  const warn = warnerOf(options, log, redactor);
  const traces = options.traces === undefined ? null : openTraces(options.traces, clock, warn, redactor);
  const observers = [options.observer, traces?.tracer].filter((observer) => observer !== undefined);
  const deadlines = new Deadlines(clock);
  return {
    clock,
    entropy: options.entropy ?? systemEntropy,
    deadlines,
    slices: new Slices(clock),
    permits: options.concurrency === undefined ? null : new Permits(options.concurrency),
    resources: new Resources(sourcesOf(options.resources), clock, redactor),
    turnstile: new Turnstile(clock, deadlines),
    secrets: new Secrets(options.secrets),
    store: storeOf(options),
    redactor,
    codec,
    executor: options.cpu ?? null,
    tasks: options.tasks ?? null,
    cache: cacheOf(options, clock, warn),
    observer: together(observers.map((observer) => safeObserver(observer, warn))),
    traces,
    log,
    warn,
    around: options.asyncContext === true ? storageOrRefusal() : null,
    slowOp: options.slowOp === undefined ? 0 : parseDuration(options.slowOp, "slowOp of the engine"),
    counts: { late: 0, stuck: 0 },
  };
}

const codec: ValueCodec = {
  encode: (value, what) => encodeAs(what, value),
  decode: (text) => decode(text),
  canonical: (value, what) => canonicalAs(what, value),
};

function cacheOf(options: EngineOptions, clock: Clock, warn: (text: string) => void): Cache {
  const store = options.cache ?? memoryCache();
  return new Cache({ store, keys: new CacheKeys(codec, options.cache === undefined), codec, clock, warn });
}

/** The option, else the environment variable, else `warn`. A variable that says something else is said once. */
function loggerOf({ log = systemLog, logLevel }: EngineOptions, clock: Clock, redactor: Redactor): Logger {
  const written = logLevel === undefined ? environment(levelVariable) : undefined;
  const known: readonly (string | undefined)[] = [...logLevels, "off"];
  const level = logLevel ?? (known.includes(written) ? (written as LogLevel | "off") : "warn");
  const logger = new Logger(log, level, clock, redactor);
  if (written !== undefined && written !== level)
    logger.write("warn", `millrace: ${levelVariable}=${written} is not a level; it is one of ${known.join(", ")}`);
  return logger;
}

function warnerOf({ warn }: EngineOptions, log: Logger, redactor: Redactor): (text: string) => void {
  return warn === undefined ? (text) => log.write("warn", text) : (text) => warn(redactor.text(text));
}

function storageOrRefusal(): AsyncStorage {
  const storage = sharedStorage();
  if (storage !== null) return storage;
  throw new MillraceError("InvalidOption", "asyncContext needs AsyncLocalStorage, which this host does not have", {
    hint: "leave it out, and hand ctx on to what needs it",
  });
}
