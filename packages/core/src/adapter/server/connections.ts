import type { AppendQueue } from "./append-queue.ts";
import type { PatientCalls } from "./calls.ts";

/** Whose connections they are. */
export interface Owner {
  /** Of the backend, for messages. */
  readonly name: string;
  /** Tells this bearer of the owner's name from those before and after it. */
  readonly ownerN: number;
}

/** Everything that an open handle has at the server. */
export interface ServerConnections<Settings> extends Owner {
  readonly calls: PatientCalls;
  readonly appends: AppendQueue;
  /** See `Lease`. */
  readonly lease: { alive(): boolean };
  /** As the server reports them. */
  settings(): Settings | undefined;
  /** From now on the function that the connections were made with is called for hints; again, nothing happens. */
  listen(): void;
  /** See `RegisteredOwner`. */
  readonly say?: ((text: string) => Promise<void>) | undefined;
  /** Does what was asked before. The owner is gone at once; when the server cannot be told, its lease lapses. */
  close(): Promise<void>;
  /** Ends every connection without a word, as a crash would. */
  abandon(): Promise<void>;
}
