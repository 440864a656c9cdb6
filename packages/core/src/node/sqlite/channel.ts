import { Worker } from "node:worker_threads";

import { MillraceError } from "../../base/error.ts";
import { concat } from "./concat.ts";
import { loadFromSources, strippedSources } from "./stripped-sources.ts";
import type { AnswerMessage, CommandName, Commands, Failure, Request, WorkerOptions } from "./protocol.ts";

/** More than this waits for no tick's end: the worker may as well begin. */
const FLUSH_BYTES = 1 << 20;
const FLUSH_REQUESTS = 512;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/**
 * The main thread's end of the worker: gathers the requests of one tick into one message, and keeps the process alive
 * exactly while a request is unanswered.
 */
export class Channel {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #hinted: () => void;
  #requests: Request[] = [];
  #bytes: Uint8Array[] = [];
  #byteLength = 0;
  #lastId = 0;
  #scheduled = false;
  #ending = false;
  #stopped: MillraceError | undefined;

  /** `hinted` is called when something may have come; see `Backend.onHint`. */
  constructor(options: WorkerOptions, hinted: () => void) {
    this.#hinted = hinted;
    const url = workerUrl();
    const fromSources = url.pathname.endsWith(".ts");
    this.#worker = new Worker(url, {
      workerData: { ...options, sources: fromSources ? strippedSources(url) : {} },
      name: "millrace-sqlite",
      execArgv: ["--disable-warning=ExperimentalWarning", ...(fromSources ? loadFromSources : [])],
    });
    this.#worker.on("message", (message: AnswerMessage) => this.#settle(message));
    this.#worker.on("error", (cause) => this.#stop("the SQLite worker thread failed", cause));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#stop("the SQLite worker thread has ended");
        resolve();
      });
    });
    this.#worker.unref();
  }

  ask<Name extends CommandName>(
    name: Name,
    input: Commands[Name]["takes"],
    bytes?: Uint8Array,
  ): Promise<Commands[Name]["answers"]> {
    const byteLength = bytes?.byteLength ?? 0;
    // The union of all commands is what the worker takes; TypeScript cannot see that a generic one is among them.
    const answer = this.#send((id) => ({ id, byteLength, name, input }) as unknown as Request, bytes);
    // Whoever reads ahead works on what it has, often without an end of the tick in between.
    if (name === "read") this.#flush();
    return answer as Promise<Commands[Name]["answers"]>;
  }

  append<Answer>(request: (id: number) => Request, bytes: Uint8Array): Promise<Answer> {
    return this.#send(request, bytes) as Promise<Answer>;
  }

  /** Waits for a thread that ends by itself: after `close`, and after an `open` that failed. */
  async ended(): Promise<void> {
    // An answer that still arrives must not let the process end before the thread has.
    this.#ending = true;
    this.#worker.ref();
    await this.#exited;
  }

  /** Ends the thread at once, whatever it is doing. */
  async terminate(): Promise<void> {
    this.#ending = true;
    await this.#worker.terminate();
  }

  #send(request: (id: number) => Request, bytes: Uint8Array | undefined): Promise<unknown> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped);
    this.#lastId += 1;
    const id = this.#lastId;
    this.#requests.push(request(id));
    if (bytes !== undefined) {
      this.#bytes.push(bytes);
      this.#byteLength += bytes.byteLength;
    }
    if (this.#waiting.size === 0) this.#worker.ref();
    this.#schedule();
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #schedule(): void {
    if (this.#byteLength >= FLUSH_BYTES || this.#requests.length >= FLUSH_REQUESTS) {
      this.#flush();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      // After the promises of this tick, so that writers that one commit woke go into the next one together.
      process.nextTick(() => {
        this.#scheduled = false;
        this.#flush();
      });
    }
  }

  #flush(): void {
    if (this.#requests.length === 0) return;
    const bytes = concat(this.#bytes, this.#byteLength);
    this.#worker.postMessage({ requests: this.#requests, bytes }, [bytes.buffer]);
    this.#requests = [];
    this.#bytes = [];
    this.#byteLength = 0;
  }

  #settle(message: AnswerMessage): void {
    for (const id of message.done) this.#take(id)?.resolve(undefined);
    for (const [id, answer] of message.answers) this.#take(id)?.resolve(answer);
    for (const [id, failure] of message.failures) this.#take(id)?.reject(toError(failure));
    if (this.#waiting.size === 0 && !this.#ending) this.#worker.unref();
    if (message.hint) this.#hinted();
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #stop(message: string, cause?: unknown): void {
    this.#stopped ??= new MillraceError("DatabaseUnavailable", message, {
      hint: "open the backend again; what was acknowledged is safe",
      cause,
    });
    for (const waiting of this.#waiting.values()) waiting.reject(this.#stopped);
    this.#waiting.clear();
  }
}

/** The source when this file is source, the compiled file beside it when it is compiled. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./worker/main.ts" : "./worker/main.js", import.meta.url);
}

function toError(failure: Failure): MillraceError {
  const { code, message, hint, detail } = failure;
  return new MillraceError(code, message, { hint, ...(detail !== undefined && { cause: new Error(detail) }) });
}
