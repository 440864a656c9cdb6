/** The host's clock and randomness: the only file of the default entry that reads them. Works in Node and in browsers. */
import { uuidv7 } from "../base/uuid.ts";
import type { AsyncStorage } from "./async-storage.ts";
import type { Clock } from "./clock.ts";
import type { Entropy } from "./entropy.ts";
import type { LogEntry } from "./log.ts";

/** Longer host timers fire at once: the delay is a signed 32-bit number. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer: (ms, callback) => startTimer(ms, callback),
  background: (ms, callback) => startTimer(ms, callback, true),
  defer: deferrer(),
};

function startTimer(ms: number, callback: () => void, background = false): () => void {
  let handle: ReturnType<typeof setTimeout>;
  const wait = (left: number): void => {
    const now = Math.min(left, longestTimer);
    handle = setTimeout(() => (left > now ? wait(left - now) : callback()), now);
    // Browsers number their timers, and do not wait for them anyway.
    if (background) (handle as { unref?: () => unknown }).unref?.();
  };
  wait(ms);
  return () => clearTimeout(handle);
}

function deferrer(): (callback: () => void) => void {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };
  if (setImmediate !== undefined) return (callback) => void setImmediate(callback);
  return (callback) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      callback();
    };
    channel.port2.postMessage(null);
  };
}

export const systemEntropy: Entropy = {
  random: () => Math.random(),
  runId: (now) => uuidv7(now, secureRandom),
};

/** Filled many at a time: a call to the system's generator costs as much as ten ops. */
const pool = new Uint32Array(256);
let unused = 0;

function secureRandom(): number {
  if (unused === 0) unused = crypto.getRandomValues(pool).length;
  return (pool[--unused] as number) / 2 ** 32;
}

/** Lines go where they do not mix with data, whatever their level: in Node `warn` and `error` write to stderr. */
export function systemLog({ level, message, data, runId, path, attempt }: LogEntry): void {
  const line =
    path === undefined ? message : `millrace ${level} ${path} (run ${runId}, attempt ${attempt}): ${message}`;
  const parts = data === undefined ? [line] : [line, data];
  if (level === "error") console.error(...parts);
  else console.warn(...parts);
}

interface NodeProcess {
  readonly env?: Readonly<Record<string, string | undefined>>;
  getBuiltinModule?(name: string): { readonly AsyncLocalStorage?: new () => AsyncStorage } | undefined;
}

function hostProcess(): NodeProcess | undefined {
  return (globalThis as { readonly process?: NodeProcess }).process;
}

/** An environment variable that is set and not empty. */
export function environment(name: string): string | undefined {
  const value = hostProcess()?.env?.[name];
  return value === "" ? undefined : value;
}

/** Looked up instead of imported, so that this entry still loads where there is no such module. */
export function newAsyncStorage(): AsyncStorage | null {
  const { AsyncLocalStorage } = hostProcess()?.getBuiltinModule?.("node:async_hooks") ?? {};
  return AsyncLocalStorage === undefined ? null : new AsyncLocalStorage();
}
