import type { MessagePort } from "node:worker_threads";

import type { AnswerMessage, Failure } from "../protocol.ts";

/** The id of requests whose answers nobody waits for. */
export const nobody = 0;

/** Gathers answers, so that one commit costs the main thread one message. */
export class Answers {
  readonly #port: MessagePort;
  #done: number[] = [];
  #answers: [number, unknown][] = [];
  #failures: [number, Failure][] = [];
  #transfer: ArrayBuffer[] = [];
  #hint = false;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  succeed(id: number, answer: unknown): void {
    if (id === nobody) return;
    if (answer === undefined) this.#done.push(id);
    else this.#answers.push([id, answer]);
  }

  /** As `succeed`, and gives the bytes away instead of copying them. */
  succeedWithBytes(id: number, answer: unknown, bytes: Uint8Array | undefined): void {
    this.succeed(id, answer);
    if (bytes?.buffer instanceof ArrayBuffer) this.#transfer.push(bytes.buffer);
  }

  fail(id: number, failure: Failure): void {
    if (id !== nobody) this.#failures.push([id, failure]);
  }

  hint(): void {
    this.#hint = true;
  }

  flush(): void {
    if (!this.#hint && this.#done.length + this.#answers.length + this.#failures.length === 0) return;
    const message: AnswerMessage = {
      done: this.#done,
      answers: this.#answers,
      failures: this.#failures,
      hint: this.#hint,
    };
    this.#port.postMessage(message, this.#transfer);
    this.#done = [];
    this.#answers = [];
    this.#failures = [];
    this.#transfer = [];
    this.#hint = false;
  }
}
