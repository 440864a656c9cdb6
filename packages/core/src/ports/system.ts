/**
 * The host's clock, randomness and hash: the only file of the default entry that asks for them. Works in Node and in
 * browsers.
 */
import { sha256Hex } from "../base/sha256.ts";
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

interface NodeModules {
  readonly "node:async_hooks": { readonly AsyncLocalStorage?: new () => AsyncStorage };
  readonly "node:crypto": { hash?(algorithm: "sha256", data: string | Uint8Array, output: "hex"): string };
}

interface NodeProcess {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly execArgv?: readonly string[];
  on?(event: "unhandledRejection", listener: (reason: unknown, promise: object) => void): unknown;
  on?(event: "rejectionHandled", listener: (promise: object) => void): unknown;
  listeners?(event: "unhandledRejection"): readonly object[];
  getBuiltinModule?<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined;
}

function hostProcess(): NodeProcess | undefined {
  return (globalThis as { readonly process?: NodeProcess }).process;
}

/** Of listeners that leave what is not theirs to the process. */
const YIELDING = Symbol.for("millrace.yielding");

/**
 * Tells of promises that reject while nobody looks at them, and of those that somebody looks at later. What `unhandled` does not
 * take ends the process as it would have done, unless the application listens too. Nothing where the host cannot tell, or was
 * started with rules of its own for them.
 */
export function watchRejections(
  unhandled: (reason: unknown, promise: object) => boolean,
  handled: (promise: object) => void,
): void {
  const host = hostProcess();
  const rules = [...(host?.execArgv ?? []), environment("NODE_OPTIONS") ?? ""];
  if (host?.on === undefined || rules.some((rule) => rule.includes("--unhandled-rejections"))) return;
  const listener = (reason: unknown, promise: object): void => {
    if (unhandled(reason, promise)) return;
    if (host.listeners?.("unhandledRejection").every((other) => YIELDING in other) === true) throw reason;
  };
  host.on("unhandledRejection", Object.assign(listener, { [YIELDING]: true }));
  host.on("rejectionHandled", handled);
}

/** An environment variable that is set and not empty. */
export function environment(name: string): string | undefined {
  const value = hostProcess()?.env?.[name];
  return value === "" ? undefined : value;
}

/** Looked up instead of imported, so that this entry still loads where there is no such module. */
function hostModule<Name extends keyof NodeModules>(name: Name): Partial<NodeModules[Name]> {
  return hostProcess()?.getBuiltinModule?.(name) ?? {};
}

export function newAsyncStorage(): AsyncStorage | null {
  const { AsyncLocalStorage } = hostModule("node:async_hooks");
  return AsyncLocalStorage === undefined ? null : new AsyncLocalStorage();
}

/**
 * Lower-case hexadecimal SHA-256 of the bytes, or of the UTF-8 form of a string. By the host where it hashes while one
 * waits (a value of 20 MB would hold up everything for a third of a second otherwise), else by `sha256Hex`.
 */
export const systemSha256: (data: string | Uint8Array) => string = hostSha256() ?? sha256Hex;

function hostSha256(): ((data: string | Uint8Array) => string) | undefined {
  const { hash } = hostModule("node:crypto");
  return hash === undefined ? undefined : (data) => hash("sha256", data, "hex");
}
