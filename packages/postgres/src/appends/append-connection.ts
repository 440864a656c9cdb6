import {
  patiently,
  type Appending,
  type Failures,
  type Group,
  type JournalTail,
  type Patience,
  type StoredRow,
} from "@millrace/core/adapter";
import { Client, type ClientConfig } from "pg";

import { destroy, type Answer, type Values } from "../database.ts";
import { failuresOf, isLost } from "../failure.ts";
import { appendTimeoutMs, clientDefaults, graceMs, keepAlive, setUp, type SessionOptions } from "../session.ts";
import { setUpAppends } from "../sql/set-up-session.ts";
import type { Statement, Statements } from "../sql/statements.ts";
import { prepare } from "./parameters.ts";

export interface AppendConnectionOptions {
  readonly config: ClientConfig;
  readonly session: SessionOptions;
  readonly statements: Statements;
  readonly patienceMs: number;
  readonly ownerN: number;
}

/** The one connection that appends, made anew when it is lost. The process may end while it waits for nothing. */
export class AppendConnection implements Appending {
  readonly failures: Failures;
  readonly #options: AppendConnectionOptions;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #closed = false;

  constructor(options: AppendConnectionOptions) {
    this.#options = options;
    this.failures = failuresOf(options.session.name);
  }

  async ready(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    this.#connecting ??= patiently(this.#patience(), () => this.#connect()).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async commit(groups: readonly Group[]): Promise<ReadonlySet<number>> {
    const { statement, values, counts } = prepare(groups, this.#options.statements);
    const { rows, count } = await this.query<{ i: number }>(statement, values);
    if (counts) return new Set(count === 1 ? [0] : []);
    return new Set(rows.map(({ i }) => i - 1));
  }

  async findTail(runId: string, firstSeq: number): Promise<JournalTail | undefined> {
    const { selectJournalRow } = this.#options.statements;
    return (await this.#insist<JournalTail>(selectJournalRow, [runId, firstSeq])).rows[0];
  }

  async findRun(runId: string): Promise<StoredRow | undefined> {
    return (await this.#insist<StoredRow>(this.#options.statements.selectRun, [runId])).rows[0];
  }

  async freeHeld(): Promise<void> {
    await this.#insist(this.#options.statements.terminateDeadOwners, []);
  }

  /** One try, on the connection that there is; sent at once, also while others wait for their answers. */
  async query<Row>({ name, text }: Statement, values: Values): Promise<Answer<Row>> {
    const client = this.#client ?? (await this.ready());
    try {
      const { rows, rowCount } = await client.query({ name, text, values: values as unknown[] });
      return { rows: rows as Row[], count: rowCount ?? 0 };
    } catch (error) {
      // The client itself learns of it a little later.
      if (isLost(error)) this.#drop(client);
      throw error;
    }
  }

  /** Reads that may have to be asked again, on another connection. */
  async #insist<Row>(statement: Statement, values: Values): Promise<Answer<Row>> {
    return patiently(this.#patience(), () => this.query<Row>(statement, values));
  }

  #patience(): Patience {
    return { ms: this.#options.patienceMs, failures: this.failures, isGivenUp: () => this.#closed };
  }

  keepAlive(isBusy: boolean): void {
    if (this.#client !== undefined) keepAlive(this.#client, isBusy);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  abandon(): void {
    this.#closed = true;
    if (this.#client !== undefined) destroy(this.#client);
    this.#client = undefined;
  }

  #drop(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    destroy(client);
  }

  async #connect(): Promise<Client> {
    const { config, session, statements, ownerN } = this.#options;
    const client = new Client({
      ...clientDefaults,
      query_timeout: appendTimeoutMs + graceMs,
      ...config,
      pipeline: true,
    });
    client.on("error", () => this.#drop(client));
    client.on("end", () => this.#drop(client));
    try {
      await client.connect();
      await setUp(client, session);
      await client.query(setUpAppends, [String(appendTimeoutMs)]);
      await client.query({ ...statements.terminateFormerBackend, values: [ownerN] });
      await client.query({ ...statements.registerBackend, values: [ownerN] });
    } catch (error) {
      destroy(client);
      throw error;
    }
    if (this.#closed) destroy(client);
    else this.#client = client;
    return client;
  }
}
