/** The lease thread: renews one owner's lease until it is told to stop, or the main loop hangs. */
import { parentPort, workerData } from "node:worker_threads";

import { Beat, monotonicMs } from "../beat.ts";
import type { LeaseConnect, LeaseConnection, LeaseMessage, LeaseSetup } from "../protocol.ts";
import { Watch } from "./watch.ts";

const port = parentPort;
if (port === null) throw new Error("this file is a worker thread's");
const setup = workerData as LeaseSetup;
const { owner, ttlMs } = setup;
const every = ttlMs / 3;
/** After a renewal that failed: there is time for several before the lease ends. */
const soon = Math.min(every / 2, 250);

const beat = new Beat(setup.shared);
const watch = new Watch(beat, setup.stuckAfterMs);
let connect: LeaseConnect<unknown>;
let connection: LeaseConnection | undefined;
let wake: (() => void) | undefined;
const state = { isStopping: false, isLost: false };

function say(message: LeaseMessage): void {
  port!.postMessage(message, []);
}

/** How long to wait for the next renewal. */
async function renew(): Promise<number> {
  if (watch.isStuck(monotonicMs())) return every;
  const sentAt = monotonicMs();
  try {
    connection ??= await connected();
    const open = connection;
    if (await within(every, () => open.renew(owner, ttlMs))) {
      // What was sent after a stop may still succeed; nobody may take it for a living lease.
      if (!state.isStopping) beat.renewedAt = sentAt;
      return every;
    }
    state.isLost = true;
    beat.renewedAt = 0;
    return every;
  } catch {
    await disconnect();
    return soon;
  }
}

async function connected(): Promise<LeaseConnection> {
  const making = (async () => connect(setup.options))();
  try {
    return await within(every, () => making);
  } catch (error) {
    // One that comes too late is nobody's.
    making.then((late) => late.close()).catch(() => undefined);
    throw error;
  }
}

async function within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  });
  const result = work();
  // It may fail when nobody waits for it any more.
  result.catch(() => undefined);
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function disconnect(): Promise<void> {
  const open = connection;
  connection = undefined;
  if (open !== undefined) await within(every, () => open.close()).catch(() => undefined);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

port.once("message", () => {
  state.isStopping = true;
  wake?.();
});

try {
  ({ connect } = (await import(setup.module)) as { connect: LeaseConnect<unknown> });
  if (typeof connect !== "function") throw new TypeError("it exports no function named connect");
  say({ type: "ready" });
  while (!state.isStopping && !state.isLost) {
    const next = await renew();
    if (!state.isStopping) await pause(next);
  }
  await disconnect();
} catch (error) {
  say({ type: "unusable", detail: error instanceof Error ? error.message : String(error) });
}
port.close();
