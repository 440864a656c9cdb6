import { Client, type ClientConfig, type QueryResultRow } from "pg";

import { destroy, type Answer, type Values } from "../database.ts";
import { isLost } from "../failure.ts";
import { patiently } from "../patience.ts";
import { appendTimeoutMs, clientDefaults, graceMs, keepAlive, setUp, type SessionOptions } from "../session.ts";
import { setUpAppends } from "../sql/set-up-session.ts";
import type { Statement, Statements } from "../sql/statements.ts";

export interface AppendConnectionOptions {
  readonly config: ClientConfig;
  readonly session: SessionOptions;
  readonly statements: Statements;
  readonly patienceMs: number;
  readonly ownerN: number;
}

/** The one connection that appends, made anew when it is lost. The process may end while it waits for nothing. */
export class AppendConnection {
  readonly #options: AppendConnectionOptions;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #closed = false;

  constructor(options: AppendConnectionOptions) {
    this.#options = options;
  }

  /** Resolves when there is a connection, and what the one before it was doing is over, one way or the other. */
  async ready(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    this.#connecting ??= patiently(
      this.#options.patienceMs,
      () => this.#connect(),
      () => this.#closed,
    ).finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** One try, on the connection that there is; sent at once, also while others wait for their answers. */
  async query<Row extends QueryResultRow>({ name, text }: Statement, values: Values): Promise<Answer<Row>> {
    const client = this.#client ?? (await this.ready());
    try {
      const { rows, rowCount } = await client.query<Row>({ name, text, values: values as unknown[] });
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      // The client itself learns of it a little later.
      if (isLost(error)) this.#drop(client);
      throw error;
    }
  }

  /** Reads that may have to be asked again, on another connection. */
  async insist<Row extends QueryResultRow>(statement: Statement, values: Values): Promise<Answer<Row>> {
    return patiently(
      this.#options.patienceMs,
      () => this.query<Row>(statement, values),
      () => this.#closed,
    );
  }

  /** Whether the process has to wait for it. */
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
