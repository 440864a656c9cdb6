/**
 * Modules in TypeScript reach a worker without their types, which the main thread takes off for it: a worker that strips
 * types itself can bring the process down when it ends (nodejs/node#64500, see sqlite/stripped-sources.ts), and workers of
 * a pool are ended all the time. The worker asks synchronously, while it loads.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads";

import { strippedSource } from "../sqlite/stripped-sources.ts";

/** What travels to the worker. */
export interface Stripping {
  readonly port: MessagePort;
  /** 1: the answer is at the port. */
  readonly answered: Int32Array;
}

/** Runs in the worker before its first module. */
const askForSources = `
  import { registerHooks } from "node:module";
  import { receiveMessageOnPort, workerData } from "node:worker_threads";
  const { port, answered } = workerData.stripping;
  const ask = (url) => {
    Atomics.store(answered, 0, 0);
    port.postMessage(url);
    Atomics.wait(answered, 0, 0);
    const { source, problem } = receiveMessageOnPort(port).message;
    if (problem !== undefined) throw new SyntaxError(problem);
    return source;
  };
  registerHooks({
    load(url, context, next) {
      if (!/^file:.*\\.[cm]?ts(\\?|#|$)/.test(url)) return next(url, context);
      const format = String(context.format).startsWith("commonjs") ? "commonjs" : "module";
      return { format, source: ask(url), shortCircuit: true };
    },
  });
`;

export const loadStripped: readonly string[] = [
  "--import",
  `data:text/javascript,${encodeURIComponent(askForSources)}`,
];

/** Answers one worker for as long as it lives; the end of the worker closes the port. */
export function stripFor(): Stripping {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  port1.on("message", (url: string) => {
    port1.postMessage(answer(url));
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  });
  port1.unref();
  return { port: port2, answered };
}

function answer(url: string): { readonly source: string } | { readonly problem: string } {
  try {
    return { source: strippedSource(new URL(url.replace(/[?#].*$/, ""))) };
  } catch (error) {
    return { problem: `${url}: ${error instanceof Error ? error.message : String(error)}` };
  }
}
