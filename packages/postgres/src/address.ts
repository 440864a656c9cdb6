import { errorOf } from "@millrace/core/adapter";
import { MillraceError } from "@millrace/core";
import { Client, type ClientConfig, type PoolConfig } from "pg";

import type { PostgresServer } from "./server-config.ts";

/** Which server, and what it is called in messages. */
export interface Address {
  readonly config: PoolConfig;
  /** `postgres:host:port/database`: no user, no password. */
  readonly server: string;
}

/** Nothing of a text that cannot be read is repeated: it may hold a password. */
export function addressOf(server: string | URL | PostgresServer): Address {
  const config =
    typeof server === "string" || server instanceof URL ? fromUrl(String(server)) : ({ ...server } as PoolConfig);
  let client: Client;
  try {
    client = new Client(config);
  } catch {
    throw errorOf("DatabaseUnavailable.address", { problem: "the address cannot be read" });
  }
  return { config, server: `postgres:${client.host}:${client.port}/${client.database ?? client.user ?? ""}` };
}

function fromUrl(url: string): PoolConfig {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw errorOf("DatabaseUnavailable.address", { problem: "the address does not begin with postgres://" });
  }
  return { connectionString: url };
}

/**
 * For the lease thread, to which no functions can travel. A function that gives the password is asked here, once.
 *
 * @throws MillraceError `InvalidOption`
 */
export async function cloneable(config: PoolConfig): Promise<ClientConfig> {
  const { password, ...rest } = config;
  const known: ClientConfig = { ...rest };
  if (password !== undefined) known.password = typeof password === "function" ? await password() : password;
  try {
    return structuredClone(known);
  } catch {
    throw new MillraceError("InvalidOption", "postgres(…): the configuration holds a function besides password", {
      hint: "the lease is renewed by a thread, to which functions cannot be sent",
    });
  }
}
