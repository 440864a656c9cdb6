/** Backends on database servers meet the same troubles; each brings its ways to cause them. */
import { inject, onTestFinished } from "vitest";

import type { ServerBackend } from "../../src/adapter/index.ts";
import type { OwnerSettings } from "./owner-program.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the PostgreSQL server that all tests of the run share; superuser. */
    postgresUrl: string;
    /** Of the MariaDB server, a user that may do everything. Empty: there is none, and no test of it runs. */
    mysqlUrl: string;
    /** Why there is none. */
    mysqlMissing: string;
  }
}

/** Options that all of them have. */
export interface CommonOptions {
  readonly lease?: string | number | undefined;
  readonly stuckAfter?: string | number | undefined;
  readonly patience?: string | number | undefined;
}

export interface ServerHarness {
  /** Under which the run's own server was provided. */
  readonly url: "postgresUrl" | "mysqlUrl";
  backend(url: string, place: string, options: CommonOptions): ServerBackend<unknown>;
  /** On that server, by a configuration of a pool of two connections, and what is added to it. */
  fromConfig(place: string, more?: object): ServerBackend<unknown>;
  /** What a version to come leaves there. */
  claimVersion(place: string, version: number): Promise<void>;
  /** A schema, or a prefix, that nobody else uses. */
  fresh(): string;
  /** What time would do: the lease of an owner ends. */
  lapse(place: string, owner: string): Promise<void>;
  /** Ends the connections of the owners there; how many there were. */
  terminate(place: string): Promise<number>;
  /** Makes the server refuse journal rows with these bytes, until it is told to stop. */
  refuse(place: string, text: string, how: "data" | "full" | "conflict"): Promise<() => Promise<void>>;
  /** The program whose children are owners; it calls `playOwner`. */
  readonly program: URL;
  /** What stands in the request of a call, and in none before it. */
  readonly requests: Readonly<Record<"append" | "appends" | "create" | "post" | "claim", string>>;
  /** Whether a piece of an answer is its end. */
  isAnswered(piece: Buffer): boolean;
}

export function urlOf({ url }: ServerHarness): string {
  return inject(url);
}

/** Open, and closed with the test. */
export async function opened(
  harness: ServerHarness,
  owner: string,
  place: string,
  options: CommonOptions = {},
  url: string = urlOf(harness),
): Promise<ServerBackend<unknown>> {
  const backend = harness.backend(url, place, options);
  await backend.open(owner);
  onTestFinished(() => backend.close());
  return backend;
}

export function settingsOf(
  harness: ServerHarness,
  place: string,
  owner: string,
  runs: readonly string[] = [],
): OwnerSettings {
  return { url: urlOf(harness), place, owner, runs, lease: 1_000 };
}
