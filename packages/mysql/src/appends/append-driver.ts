import type { AppendDriver, JournalTail, StoredRow } from "@millrace/core/adapter";
import { createConnection, type Connection, type ConnectionOptions } from "mysql2/promise";

import { destroy, execute, keepAlive, type Answer, type Values } from "../client.ts";
import { endDeadSessions } from "../dead-owners.ts";
import { failuresOf } from "../failure.ts";
import { keyOf } from "../keys.ts";
import { endHolder, sessionLock, takeLock } from "../named-locks.ts";
import { appendSeconds, clientDefaults, clientEssentials, graceMs, setUp, type SessionOptions } from "../session.ts";
import type { Statements } from "../sql/statements.ts";
import { prepare } from "./parameters.ts";

export interface AppendOptions {
  readonly config: ConnectionOptions;
  readonly session: SessionOptions & { readonly ownerN: number };
  readonly statements: Statements;
}

export function appendDriver(options: AppendOptions): AppendDriver<Connection> {
  const { session, statements } = options;
  const connections = new Connections(options);
  return {
    failures: failuresOf(session.name),
    connect: (lost) => connections.connect(lost),
    async commit(client, groups) {
      const { text, values, keptOf } = prepare(groups, statements);
      const { rows } = await query<Record<string, unknown>>(client, text, values);
      return keptOf(rows[0]);
    },
    async findTail(client, runId, firstSeq) {
      return (await query<JournalTail>(client, statements.selectJournalRow, [firstSeq, keyOf(runId)])).rows[0];
    },
    async findRun(client, runId) {
      return (await query<StoredRow>(client, statements.selectRun, [keyOf(runId)])).rows[0];
    },
    freeHeld: (client) => endDeadSessions(client, statements, session),
    keepAlive,
    end: (client) => client.end(),
    destroy: (client) => connections.destroy(client),
  };
}

function query<Row>(client: Connection, text: string, values: Values): Promise<Answer<Row>> {
  return execute<Row>(client, text, values, appendSeconds * 1_000 + graceMs);
}

/** The ones that appended, one after the other. */
class Connections {
  readonly #options: AppendOptions;
  /** Their numbers at the server. */
  readonly #ids = new WeakMap<Connection, number>();
  /** Numbers of those that were given up, and may not be over. */
  readonly #former = new Set<number>();

  constructor(options: AppendOptions) {
    this.#options = options;
  }

  async connect(lost: (client: Connection) => void): Promise<Connection> {
    const { config, session, statements } = this.#options;
    const client = await createConnection({ ...clientDefaults, ...config, ...clientEssentials });
    client.on("error", () => lost(client));
    client.on("end", () => lost(client));
    try {
      const { id } = await setUp(client, session, appendSeconds);
      await this.#endFormer(client);
      await takeLock(client, sessionLock(session, id), 0);
      await client.query(statements.insertSession, [session.ownerN]);
      this.#ids.set(client, id);
      return client;
    } catch (error) {
      destroy(client);
      throw error;
    }
  }

  destroy(client: Connection): void {
    destroy(client);
    const id = this.#ids.get(client);
    if (id === undefined) return;
    this.#former.add(id);
    this.#ids.delete(client);
  }

  /** H16: what the connections before were doing is over, one way or the other. */
  async #endFormer(client: Connection): Promise<void> {
    const { session } = this.#options;
    for (const id of this.#former) {
      if (!(await endHolder(client, sessionLock(session, id), id))) {
        throw Object.assign(new Error(`Connection lost: connection ${id} does not end`), { code: "ETIMEDOUT" });
      }
      this.#former.delete(id);
    }
  }
}
