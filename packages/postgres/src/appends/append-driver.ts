import type { AppendDriver, JournalTail, StoredRow } from "@millrace/core/adapter";
import { Client, type ClientConfig } from "pg";

import { destroy, type Answer, type Values } from "../database.ts";
import { failuresOf } from "../failure.ts";
import { appendTimeoutMs, clientDefaults, graceMs, keepAlive, setUp, type SessionOptions } from "../session.ts";
import { setUpAppends } from "../sql/set-up-session.ts";
import type { Statement, Statements } from "../sql/statements.ts";
import { prepare } from "./parameters.ts";

export interface AppendOptions {
  readonly config: ClientConfig;
  readonly session: SessionOptions;
  readonly statements: Statements;
  readonly ownerN: number;
}

export function appendDriver(options: AppendOptions): AppendDriver<Client> {
  const { session, statements } = options;
  return {
    failures: failuresOf(session.name),
    connect: (lost) => connect(options, lost),
    async commit(client, groups) {
      const { statement, values, counts } = prepare(groups, statements);
      const { rows, count } = await query<{ i: number }>(client, statement, values);
      if (counts) return new Set(count === 1 ? [0] : []);
      return new Set(rows.map(({ i }) => i - 1));
    },
    async findTail(client, runId, firstSeq) {
      return (await query<JournalTail>(client, statements.selectJournalRow, [runId, firstSeq])).rows[0];
    },
    async findRun(client, runId) {
      return (await query<StoredRow>(client, statements.selectRun, [runId])).rows[0];
    },
    freeHeld: (client) => query(client, statements.terminateDeadOwners, []),
    keepAlive,
    end: (client) => client.end(),
    destroy,
  };
}

async function connect(
  { config, session, statements, ownerN }: AppendOptions,
  lost: (client: Client) => void,
): Promise<Client> {
  const client = new Client({
    ...clientDefaults,
    query_timeout: appendTimeoutMs + graceMs,
    ...config,
    pipeline: true,
  });
  client.on("error", () => lost(client));
  client.on("end", () => lost(client));
  try {
    await client.connect();
    await setUp(client, session);
    await client.query(setUpAppends, [String(appendTimeoutMs)]);
    await client.query({ ...statements.terminateFormerBackend, values: [ownerN] });
    await client.query({ ...statements.registerBackend, values: [ownerN] });
    return client;
  } catch (error) {
    destroy(client);
    throw error;
  }
}

async function query<Row>(client: Client, { name, text }: Statement, values: Values): Promise<Answer<Row>> {
  const { rows, rowCount } = await client.query({ name, text, values: values as unknown[] });
  return { rows: rows as Row[], count: rowCount ?? 0 };
}
