import type { Failure } from "../protocol.ts";

/** Thrown inside the worker; crosses to the main thread as the `failure` it carries. */
export class StoreFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = "StoreFailure";
    this.failure = failure;
  }
}
