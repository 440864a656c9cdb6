import type { ErrorCode } from "../../base/messages.generated.ts";
import type { LogLevel } from "../../ports/log.ts";
import type { Told } from "../../ports/executor.ts";

/** Given to a worker when it starts. */
export interface WorkerSetup {
  /** URLs of the modules whose exports are ops. */
  readonly modules: readonly string[];
}

/** One at a time. */
export interface TaskMessage {
  readonly op: string;
  readonly input: string;
  readonly told: Told;
}

/** What a worker says: once whether its modules loaded, then lines and one result per task. */
export type WorkerMessage =
  | { readonly type: "ready"; readonly ops: readonly string[]; readonly twice: readonly string[] }
  | { readonly type: "unusable"; readonly error: ErrorMessage }
  | { readonly type: "log"; readonly level: LogLevel; readonly message: string; readonly data: unknown }
  | { readonly type: "told"; readonly event: string }
  | { readonly type: "output"; readonly output: string }
  | { readonly type: "failed"; readonly error: ErrorMessage };

/** What was thrown, as far as a retry or a record of it needs to know. */
export type ErrorMessage =
  | {
      readonly type: "error";
      readonly name: string;
      readonly message: string;
      readonly code?: string | number | undefined;
      readonly facts: Facts;
      readonly data?: string | undefined;
      readonly stack?: string | undefined;
      /** Some levels of them. */
      readonly cause?: ErrorMessage | undefined;
      /** The first of an `AggregateError`. */
      readonly errors?: readonly ErrorMessage[] | undefined;
    }
  | { readonly type: "ours"; readonly code: ErrorCode; readonly message: string }
  /** Not an `Error`; encoded, or its text. */
  | { readonly type: "thrown"; readonly value: string }
  | { readonly type: "unreadable" };

/** By which retries are decided. */
export type Facts = Readonly<Record<string, string | number | boolean>>;
