import { setTimeout as sleep } from "node:timers/promises";

import type { HintSource } from "@millrace/core/adapter";
import { Client, type ClientConfig } from "pg";

import { destroy } from "./database.ts";
import { clientDefaults, keepAlive, setUp, type SessionOptions } from "./session.ts";

const heartbeatMs = 5_000;
const pauseMs = 50;

export interface HintOptions {
  readonly config: ClientConfig;
  readonly session: SessionOptions;
  /** Also the name of the channel. */
  readonly schema: string;
  /** Hints for other owners are none for us. */
  readonly ownerN: number;
}

/**
 * A connection that only listens. After every connect the listeners are told too, for what was notified while there was none is
 * gone. A heartbeat finds a connection that is dead and does not know it.
 */
export function hintsOf({ config, session, schema, ownerN }: HintOptions): HintSource {
  return {
    pauseMs,
    async round(tell, reached, signal) {
      const client = new Client({ ...clientDefaults, ...config, query_timeout: heartbeatMs });
      const lost = new AbortController();
      client.on("error", () => lost.abort());
      client.on("end", () => lost.abort());
      client.on("notification", ({ payload }) => {
        if (payload === undefined || payload === "" || payload === String(ownerN)) tell();
        else if (payload.startsWith("?") || payload.startsWith("!")) tell(payload);
      });
      const end = (): void => destroy(client);
      signal.addEventListener("abort", end);
      const over = AbortSignal.any([lost.signal, signal]);
      try {
        await client.connect();
        keepAlive(client, false);
        await setUp(client, session);
        await client.query(`LISTEN "${schema}"`);
        reached();
        tell();
        while (!over.aborted) {
          await sleep(heartbeatMs, undefined, { ref: false, signal: over }).catch(() => undefined);
          if (!over.aborted) await client.query("SELECT 1");
        }
      } finally {
        signal.removeEventListener("abort", end);
        end();
      }
    },
  };
}
