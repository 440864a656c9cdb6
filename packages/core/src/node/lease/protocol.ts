import type { Stripping } from "../worker-pool/type-stripping.ts";

/** What an adapter's lease module exports: `export const connect: LeaseConnect<Options> = …`. */
export type LeaseConnect<Options> = (options: Options) => LeaseConnection | Promise<LeaseConnection>;

/** A connection of the lease thread's own, so that nothing that the main thread waits for is in front of a renewal. */
export interface LeaseConnection {
  /**
   * Lets the lease of `owner` end `ttlMs` from now, by the clock of the store. False: there is no such owner any more, and
   * never will be. Rejects: it is not known whether it was renewed; the thread closes this connection and makes another.
   */
  renew(owner: string, ttlMs: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Sent with the thread. */
export interface LeaseSetup {
  readonly module: string;
  readonly options: unknown;
  readonly owner: string;
  readonly ttlMs: number;
  readonly stuckAfterMs: number;
  readonly shared: SharedArrayBuffer;
  readonly stripping: Stripping;
}

/** `ready`: the module is loaded. */
export type LeaseMessage = { readonly type: "ready" } | { readonly type: "unusable"; readonly detail: string };
