import { patiently, type ServerPatience } from "@millrace/core/adapter";
import { Pool, type Client, type ClientBase, type PoolClient, type PoolConfig } from "pg";

import { failuresOf, isLost } from "./failure.ts";
import { answerTimeoutMs, clientDefaults, setUp, type SessionOptions, type SessionReport } from "./session.ts";
import { statementsOf, type Statement, type Statements } from "./sql/statements.ts";

export interface DatabaseOptions {
  readonly config: PoolConfig;
  readonly schema: string;
  readonly patienceMs: number;
  readonly session: SessionOptions;
}

export type Values = readonly unknown[];

export interface Answer<Row> {
  readonly rows: Row[];
  readonly count: number;
}

/** A database, and whose calls these are. */
export interface Owned {
  readonly database: Database;
  readonly owner: string;
  readonly ownerN: number;
}

/** Whatever a connection does besides appending: a pool of them, each set up before its first statement. */
export class Database {
  readonly statements: Statements;
  readonly patience: ServerPatience;
  readonly #options: DatabaseOptions;
  readonly #clients = new Set<Client>();
  readonly #pool: Pool;
  #report: SessionReport | undefined;
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.statements = statementsOf(options.schema);
    this.patience = {
      ms: options.patienceMs,
      failures: failuresOf(options.session.name),
      isGivenUp: () => this.#closed,
    };
    const setUpClient: (client: ClientBase) => unknown = (client) => this.#setUp(client);
    this.#pool = new Pool({
      ...clientDefaults,
      query_timeout: answerTimeoutMs,
      ...options.config,
      allowExitOnIdle: true,
      // The pool waits for what it gives back, which its declaration does not say.
      onConnect: setUpClient,
    });
    // Of idle connections: the pool makes new ones.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => this.#clients.add(client as Client));
    this.#pool.on("remove", (client) => this.#clients.delete(client as Client));
  }

  /** Of the last session that was set up. */
  get report(): SessionReport | undefined {
    return this.#report;
  }

  /** One try, on a connection that is ended afterwards, for work of several statements. */
  async withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    try {
      return await work(client);
    } finally {
      client.release(true);
    }
  }

  /** One try. A statement that was lost on its way is over, whatever came of it, before the loss is told. */
  async once<Row>(statement: Statement, values: Values = []): Promise<Answer<Row>> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    try {
      const { rows, rowCount } = await client.query({ ...statement, values: values as unknown[] });
      return { rows: rows as Row[], count: rowCount ?? 0 };
    } catch (error) {
      if (isLost(error)) failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
      if (failure !== undefined && !this.#closed) await this.#endLost(pidOf(client));
    }
  }

  /** As `once`, for several statements that happen together, or, when the work throws or says so, not at all. */
  async together<Result>(
    work: (client: PoolClient) => Promise<{ readonly keep: boolean; readonly result: Result }>,
  ): Promise<Result> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    try {
      await client.query("BEGIN");
      const { keep, result } = await work(client);
      await client.query(keep ? "COMMIT" : "ROLLBACK");
      return result;
    } catch (error) {
      // Whatever is left of the transaction goes with the connection.
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
      if (failure !== undefined && isLost(failure) && !this.#closed) await this.#endLost(pidOf(client));
    }
  }

  /** The last word to the server, said once. */
  async takeLeave(statement: Statement, values: Values): Promise<void> {
    this.#closed = true;
    await this.once(statement, values);
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
  }

  abandon(): void {
    this.#closed = true;
    for (const client of this.#clients) destroy(client);
    this.#pool.end().catch(() => undefined);
  }

  async #setUp(client: ClientBase): Promise<void> {
    // Whoever waits for an answer is told by it; without a listener the end of a connection would end the process.
    client.on("error", () => undefined);
    this.#report = await setUp(client, this.#options.session);
    const given: ((client: ClientBase) => unknown) | undefined = this.#options.config.onConnect;
    await given?.(client);
  }

  async #endLost(pid: number | null): Promise<void> {
    if (pid === null) return;
    const values = [pid, this.#options.session.applicationName];
    const end = (): Promise<unknown> =>
      this.withClient((client) => client.query({ ...this.statements.terminateBackend, values }));
    await patiently(this.patience, end).catch(() => undefined);
  }
}

/** `pg` knows it and does not declare it. */
export function pidOf(client: ClientBase): number | null {
  return (client as unknown as { readonly processID: number | null }).processID;
}

/** Without a word to the server. */
export function destroy(client: Client): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } };
  connection.stream.destroy();
}
