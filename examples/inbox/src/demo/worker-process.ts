import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromWorker, Spent, ToWorker, WorkerSetup } from "./messages.ts";

/** A worker process as its parent sees it. */
export interface Worker {
  readonly pid: number;
  readonly gone: Promise<WorkerEnd>;
  /** Asks it to finish what is in flight and to leave the rest for another process. */
  drain(): void;
  /** SIGKILL: it cannot catch, delay or clean up anything. */
  kill(): void;
}

export interface WorkerEnd extends Spent {
  readonly pid: number;
  readonly signal: NodeJS.Signals | null;
  /** What the run came to, or why there is no answer. */
  readonly status: string;
  readonly reason: string;
  /** Messages described by the time of its last word. */
  readonly described: number;
}

/** With `killAt` the process gets a SIGKILL as soon as it has described so many messages. */
export function startWorker(setup: WorkerSetup, killAt = Infinity): Worker {
  const child = fork(fileURLToPath(import.meta.resolve("../worker.ts")), [JSON.stringify(setup)], {
    // Its own words, if it has any, are no data.
    stdio: ["ignore", 2, 2, "ipc"],
    execArgv: [],
  });
  let last = { status: "lost", reason: "the worker ended without a word", described: 0, seconds: 0, cpuSeconds: 0 };
  child.on("message", (message: FromWorker) => {
    last = { ...last, ...message };
    if (last.described >= killAt && message.type === "progress") child.kill("SIGKILL");
  });
  const pid = child.pid ?? 0;
  const send = (message: ToWorker): void => void (child.connected && child.send(message));
  return {
    pid,
    gone: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (_code, signal) => resolve({ ...last, pid, signal }));
    }),
    drain: () => send({ type: "drain" }),
    kill: () => void child.kill("SIGKILL"),
  };
}
